import { spawn } from 'node:child_process';

export interface Command {
  program: string;
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  onLine?: (line: string) => void;
}

/** Runs to the end; throws with the last words of a command that fails. */
export function run({ program, args, env = {}, cwd, onLine }: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    // A build of minutes must not go on without the one who wanted it.
    const abandon = () => child.kill();
    process.once('exit', abandon);
    child.once('close', () => process.off('exit', abandon));
    let output = '';
    const take = (text: string) => {
      output += text;
      if (onLine) for (const line of text.split('\n').filter(Boolean)) onLine(line);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('error', (error) => reject(new Error(`${program}: ${error.message}`, { cause: error })));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const last = output.trim().split('\n').slice(-3).join(' / ');
      reject(new Error(`${program} ended with ${signal ?? code}: ${last}`));
    });
  });
}
