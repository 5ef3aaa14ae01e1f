import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../cli/longhaul.mjs', import.meta.url));

/** Makes a terminal for a program; the one of other systems takes other flags. */
const TERMINAL_MAKER = 'script';
export const canMakeTerminals =
  spawnSync(TERMINAL_MAKER, ['--version']).stdout?.toString().includes('util-linux') ?? false;

export interface Started {
  /** Resolves as soon as the text stands in what it has printed. */
  printed(text: string | RegExp): Promise<RegExpMatchArray>;
  type(keys: string): void;
  /** Gives it this on its standard input, and no more. */
  feed(text: string): void;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

interface Place {
  url: string;
  key: string;
  home: string;
}

const PATIENCE_MS = 45_000;

/** The command line as a person starts it: in a pipe, or on a terminal. */
export function startProgram(place: Place, args: string[], { terminal = false } = {}): Started {
  // Who runs the tests may want no colours; a terminal that is tested has them.
  const { NO_COLOR: _plain, FORCE_COLOR: _forced, CI: _ci, ...surroundings } = process.env;
  const env = {
    ...surroundings,
    LONGHAUL_URL: place.url,
    LONGHAUL_API_KEY: place.key,
    LONGHAUL_HOME: place.home,
    EDITOR: "sed -i 's/proposed/edited/'",
    VISUAL: '',
    TERM: 'xterm',
  };
  const quoted = [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = terminal
    ? spawn(TERMINAL_MAKER, ['-qefc', `stty cols 120 rows 50; exec ${quoted}`, '/dev/null'], { env })
    : spawn(process.execPath, [PROGRAM, ...args], { env });
  let out = '';
  let err = '';
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of waiting) look();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    tell();
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return {
    ended,
    type: (keys) => void child.stdin.write(keys),
    feed: (text) => void child.stdin.end(text),
    kill: (signal) => void child.kill(signal),
    printed: (text) =>
      new Promise((resolve, reject) => {
        const wanted = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text;
        const look = () => {
          const found = wanted.exec(out + err);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        // Says what it printed instead, before the test as a whole runs out of time.
        const impatience = setTimeout(() => {
          if (waiting.delete(look))
            reject(new Error(`not printed within ${PATIENCE_MS} ms: ${wanted}\n${out}\n${err}`));
        }, PATIENCE_MS);
        impatience.unref();
        void ended.then(() => {
          if (waiting.delete(look)) reject(new Error(`it ended without printing ${wanted}:\n${out}\n${err}`));
        });
      }),
  };
}
