/** How a long doing tells where it is. `line` stays; `update` may be overwritten by the next one or left out. */
export interface Progress {
  line(text: string): void;
  update(text: string): void;
}

const PLAIN_UPDATE_MS = 10_000;

/** On a terminal updates share one line; elsewhere they are plain lines, one every few seconds. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  let shown = false;
  let last = 0;
  const clear = () => {
    if (shown) stream.write('\r\x1b[K');
    shown = false;
  };
  return {
    line(text) {
      clear();
      stream.write(`${text}\n`);
    },
    update(text) {
      if (stream.isTTY) {
        stream.write(`\r\x1b[K${text.slice(0, Math.max(20, stream.columns - 1))}`);
        shown = true;
      } else if (Date.now() - last >= PLAIN_UPDATE_MS) {
        last = Date.now();
        stream.write(`${text}\n`);
      }
    },
  };
}

export const silent: Progress = { line: () => {}, update: () => {} };

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

export const seconds = (since: number): string => {
  const s = Math.round((Date.now() - since) / 1000);
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
};
