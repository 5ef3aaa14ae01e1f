import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

export const BOM = '\uFEFF';

const encoder = new TextEncoder();

export const textBytes = (text: string): Uint8Array => encoder.encode(text);

/** `sha256:` and the hash of a text as it lies on disk. */
export const textHash = (text: string): string => `sha256:${bytesToHex(sha256(textBytes(text)))}`;

export const HASH = /^sha256:[0-9a-f]{64}$/;

export const EMPTY_HASH = textHash('');

/**
 * The lines of a text, each with its line end; only the last may have none. A line ends at `\n` alone, as for git:
 * the `\r` of a CRLF stays with its line, and a BOM with the first one.
 */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
    lines.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/** The lines of a file as edits count them: a BOM alone is none. */
export const fileLines = (text: string): string[] => (text === BOM ? [] : linesOf(text));

/** What stands between a line and the next: `\n`, `\r\n`, or nothing. */
export const lineEnd = (line: string): '\n' | '\r\n' | '' =>
  line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';

export const withoutEnd = (line: string): string => line.slice(0, line.length - lineEnd(line).length);

/** Whether a text survives UTF-8, and is text at all: no NUL, no half of a character. */
export const isPlainText = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** The hash a line range must have, as `expected_hash` names it; both ends count, from 1. */
export const rangeHash = (text: string, start_line: number, end_line: number): string =>
  textHash(
    linesOf(text)
      .slice(start_line - 1, end_line)
      .join(''),
  );
