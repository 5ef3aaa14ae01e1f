import type { Readable, Writable } from 'node:stream';
import type { LaidOver } from './invocation.ts';
import type { CommandLimits, Cut } from './limits.ts';

export interface SandboxSettings {
  /** Where bubblewrap is; looked for along `path` where it is not said. */
  bwrap?: string | undefined;
  path: string;
  limits?: Partial<CommandLimits>;
  /** Programs and libraries outside of /usr that commands may use. */
  readable?: readonly string[];
  /** Private hosts that commands with network may reach. */
  hosts?: readonly string[];
  /** The operator has said that commands may run unconfined where they cannot be confined. */
  unconfined?: boolean;
}

export interface CommandSpec {
  argv: readonly string[];
  root: string;
  cwd?: string;
  readable?: readonly string[];
  writable?: readonly string[];
  shown?: readonly (readonly [string, string])[];
  over?: LaidOver;
  env?: Readonly<Record<string, string>>;
  network?: boolean;
  timeout_ms: number;
  signal?: AbortSignal;
  limits?: Partial<CommandLimits>;
  heard?: (text: string) => void;
  /** Takes the standard output as bytes instead of keeping it as text. */
  into?: Writable;
}

export interface CommandOutcome {
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  cut: Cut | null;
  duration_ms: number;
  started_at: string;
  output: string;
  output_chars: number;
  output_whole: boolean;
}

/** A program that lasts: nobody waits for its end. */
export type ProgramSpec = Omit<CommandSpec, 'timeout_ms' | 'signal' | 'heard' | 'into'>;

export interface StartedProgram {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Resolves once it has ended, or could not be started. */
  gone: Promise<void>;
  kill: () => void;
}

/** How commands are confined on this machine, for people. */
export interface Confinement {
  how: 'bubblewrap' | 'unconfined' | 'refused';
  why: string;
  limits: string[];
}
