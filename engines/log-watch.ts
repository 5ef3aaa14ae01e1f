import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';

const LEVEL_ERROR = 50;
const SETTLE_MS = 200;
const MOST_BYTES = 256 * 1024;

/**
 * Shows the errors that a program writes into its log. Read from the file rather than through a pipe: a supervisor
 * that is stopped for a while (Ctrl-Z) must not make its programs wait until they can write on.
 */
export function watchForErrors(log: string, show: (line: string) => void): { close(): void } {
  const file = openSync(log, 'a+', 0o600);
  let seen = fstatSync(file).size;
  let rest = '';
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    timer = undefined;
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(Math.max(size - seen, 0), MOST_BYTES));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    seen = size;
    const lines = (rest + buffer.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const error = errorIn(line);
      if (error !== null) show(error);
    }
  };
  const watcher = watch(log, () => {
    timer ??= setTimeout(look, SETTLE_MS);
  });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
      look();
      closeSync(file);
    },
  };
}

/** Our programs log in JSON; people read sentences. */
export function errorIn(line: string): string | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg, err } = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if (level === undefined || level < LEVEL_ERROR) return null;
    return [msg, err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return null;
  }
}
