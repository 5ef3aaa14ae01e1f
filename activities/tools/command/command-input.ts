import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Agent } from '../../../domain/agent.ts';
import { Failure } from '../../../domain/failures.ts';
import { coversEvery, mayAnywhere } from '../../../domain/scope.ts';
import type { NotebookKind } from '../../../domain/workspace.ts';
import type { OutsideContext, ToolContext } from '../contract.ts';

export const DEFAULT_TIMEOUT_S = 120;
/** A segment has sixteen minutes for its longest call, set-up included. */
const MOST_TIMEOUT_S = 600;

const withoutNul = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), 'no NUL');

const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'the name of a variable'),
  withoutNul(10_000),
);

/** What both operations take beside what is run. */
export const SHARED_INPUT = {
  cwd: z.string().max(1000).optional().describe('Folder to run in, from the root; the root without it'),
  timeout_s: z
    .int()
    .min(1)
    .max(MOST_TIMEOUT_S)
    .optional()
    .describe(`At most ${MOST_TIMEOUT_S}; ${DEFAULT_TIMEOUT_S} without it`),
  env: variables.optional().describe('Further environment variables'),
};

export const argument = withoutNul(20_000);
export const commandText = argument.min(1);

const SHELL = ['/bin/bash', '/bin/sh'].find((path) => existsSync(path)) ?? '/bin/sh';
export const inShell = (command: string): string[] => [SHELL, '-c', command];

/** As a person would type it. */
export const shownCommand = (argv: readonly string[]): string =>
  argv[0] === SHELL && argv[1] === '-c'
    ? (argv[2] ?? '')
    : argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/** A command sees the whole notebook: who may touch a part of it only, or some kinds of files, may not run any. */
export const mayCommand = (agent: Agent, notebook: NotebookKind | null): boolean =>
  notebook !== null && mayAnywhere(agent, 'execute') && coversEvery('file', agent.scope);

export function guardCommand({ agent, guard, seesEvery }: ToolContext): void {
  guard('execute', null);
  if (seesEvery('file')) return;
  const why = `${agent.name} may touch only a part of the notebook, and a command sees all of it.`;
  throw new Failure('scope_violation', why, { scope_violation: true });
}

/** Where it runs, as a path within the root: links that lead out and tricks are refused. */
export async function workingFolder(cwd: string | undefined, context: ToolContext): Promise<string> {
  if (cwd === undefined) return '';
  const actual = await context.files.actual(cwd.replace(/^\/workspace(?=\/|$)/, '') || '/');
  return actual.replace(/^\//, '');
}

export function sandboxOf({ sandbox }: OutsideContext): NonNullable<OutsideContext['sandbox']> {
  if (!sandbox) throw new Failure('commands_refused', 'This worker runs no commands.');
  return sandbox;
}
