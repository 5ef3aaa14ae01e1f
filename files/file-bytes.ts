import { createHash } from 'node:crypto';
import { fstatSync, read as readFile, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { Failure } from '../domain/failures.ts';
import type { OpenFolder } from './open-folder.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

const readDescriptor = promisify(readFile);

export const contentHash = (content: Buffer | string): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Only files, and of them no more than is taken: pipes, devices and folders are refused without a wait. */
export async function bytesIn(folder: OpenFolder, name: string): Promise<Buffer> {
  const held = await folder.readable(name);
  const { fd } = held;
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw new Failure('not_a_text_file', `${name} is not a file.`);
    const tooLarge = new Failure('not_a_text_file', `${name} is over 10 MB.`);
    if (info.size > MAX_FILE_BYTES) throw tooLarge;
    // It may grow while it is read: no more of it than it had, and a byte to tell.
    const bytes = Buffer.alloc(info.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const rest = bytes.length - length;
      // The last byte is not there unless the file has grown: to see that takes no other thread.
      const bytesRead =
        rest === 1
          ? readSync(fd, bytes, length, rest, length)
          : (await readDescriptor(fd, bytes, length, rest, length)).bytesRead;
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    throw new Failure('file_changed', `${name} was being written while it was read.`);
  } finally {
    await held.close();
  }
}

export function textOf(bytes: Buffer, name: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('not_a_text_file', `${name} is not UTF-8 text.`);
  }
  if (text.includes('\0')) throw new Failure('not_a_text_file', `${name} is a binary file.`);
  return text;
}

export function refuseTooLarge(content: string): void {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES) throw new Failure('too_large', 'The content is over 10 MB.');
}
