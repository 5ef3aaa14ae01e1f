import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const STAND_INS = {
  'api/server.js': 'stand-ins/api.mjs',
  'workers/agent-worker.js': 'stand-ins/worker.mjs',
  'demo/model-server.js': 'stand-ins/demo.mjs',
};

/** `longhaul start` as it is, bundled beside stand-ins for what it starts. */
export async function bundleStart(): Promise<{ script: string; remove(): void }> {
  mkdirSync(at('../../dist'), { recursive: true });
  const folder = mkdtempSync(at('../../dist/.stand-ins-'));
  for (const [place, source] of Object.entries(STAND_INS)) {
    mkdirSync(join(folder, dirname(place)), { recursive: true });
    copyFileSync(at(source), join(folder, place));
  }
  const script = join(folder, 'cli', 'main.js');
  await build({
    stdin: {
      contents:
        "import { parseArgs } from 'node:util'; import { startCommand } from './cli/start.ts';" +
        "const text = { type: 'string' };" +
        'await startCommand(parseArgs({ options: { port: text, home: text, workers: text } }).values);',
      resolveDir: at('../..'),
    },
    outfile: script,
    ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20' },
  });
  return { script, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Started {
  child: ChildProcess;
  lines: string[];
  /** Resolves with the first line that matches; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  exited: Promise<number | null>;
}

export function start(script: string, home: string, args: string[] = ['--port', '0']): Started {
  const child = spawn(process.execPath, [script, '--home', home, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(line));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    lines,
    exited,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
        };
        output.on('line', look);
        look();
        exited.then((code) => reject(new Error(`ended with ${code} and said:\n${lines.join('\n')}`)));
      }),
  };
}

interface Recorded {
  name: string;
  pid: number;
}
export const processesOf = (home: string): Recorded[] => JSON.parse(readFileSync(join(home, 'processes.json'), 'utf8'));

export function pidOf(home: string, name: string): number {
  const found = processesOf(home).find((process) => process.name === name);
  if (!found) throw new Error(`${name} is not among ${JSON.stringify(processesOf(home))}`);
  return found.pid;
}
