/**
 * What makes a path mean another place than it seems to, to a person, to another program or to another file system.
 * Nothing of it is cleaned up: whoever means an honest place can say so in an honest way.
 */

/** What Longhaul writes beside files until they are in their place; nobody else's business. */
export const STAGED_PREFIX = '.longhaul-staged-';

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 2_048;
const MOST_DECODINGS = 8;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Slashes of other alphabets that no normal form turns into the real one. */
const SLASH_LIKE = /[\u2044\u2215\u29f8\u27cb\u2571\u3033\u1735\u2216\u29f5\u29f9\u27cd\u2572]/u;
/** Seen by nobody and compared by everybody: zero-width, direction marks, fillers. Emoji need their two selectors. */
const UNSEEN = /(?![\ufe0e\ufe0f])[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const LONE_SURROGATE = /\p{Cs}/u;
/** Bytes that spell a short character the long way, which lenient decoders take for it. */
const OVERLONG = /%(?:c[01]|e0%[89]|f0%8)/i;

const marksIn = (text: string): number => text.match(/[./\\\p{Cc}]/gu)?.length ?? 0;

/** A full stop or a slash that is one only for who is not looking closely. The ellipsis is an honest sign. */
function hidesMarks(path: string): boolean {
  const plain = path.replaceAll('\u2026', '').replace(/[\u3002\uff61]/g, '.');
  return marksIn(plain.normalize('NFKC')) > marksIn(path);
}

const decodeOnce = (text: string): string =>
  text
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      new TextDecoder().decode(Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))),
    );

/** Decoded as often as anybody might: no round may bring a mark to light that was not there to be seen. */
function hidesEncoded(path: string): boolean {
  let text = path;
  for (let round = 0; round < MOST_DECODINGS; round++) {
    if (OVERLONG.test(text)) return true;
    const next = decodeOnce(text);
    if (next === text) return false;
    if (marksIn(next) > marksIn(text) || SLASH_LIKE.test(next) || hidesMarks(next)) return true;
    text = next;
  }
  return true;
}

/** On some file systems these are names of the files without them. */
const hasLooseEnd = (part: string): boolean => part !== '.' && part !== '..' && /[.\s]$/u.test(part);

const RULES: [string, (path: string, parts: string[]) => boolean][] = [
  ['holds a NUL', (path) => path.includes('\0')],
  ['holds a control character', (path) => CONTROL.test(path)],
  ['holds a backslash', (path) => path.includes('\\')],
  ['holds half a character', (path) => LONE_SURROGATE.test(path)],
  ['is an address, not a path', (path) => /^(?:[a-z][a-z0-9+.:-]*:\/\/|[a-z]:(?:\/|$))/i.test(path)],
  ['holds encoded separators', hidesEncoded],
  ['is not in normal form (NFC)', (path) => path !== path.normalize('NFC')],
  ['holds characters that cannot be seen', (path) => UNSEEN.test(path)],
  ['holds look-alikes of dots or slashes', (path) => SLASH_LIKE.test(path) || hidesMarks(path)],
  ['leaves the notebook', (_, parts) => parts.includes('..')],
  ['has a name that ends in a dot or a space', (_, parts) => parts.some(hasLooseEnd)],
  ['has a name that is too long', (_, parts) => parts.some((part) => bytesOf(part) > MAX_NAME_BYTES)],
  ['is too long', (path) => bytesOf(path) > MAX_PATH_BYTES],
  ['is kept for files on their way', (_, parts) => parts.some((part) => part.toLowerCase().startsWith(STAGED_PREFIX))],
];

const PLAIN = /^[\w/-]+(?:\.\w[\w/-]*)*$/;

/** What is wrong with a path, in words that go on “The path …”; null where nothing is. */
export function trickIn(path: string): string | null {
  // Ordinary paths are asked about by the thousand, when lists are filtered.
  if (PLAIN.test(path) && !path.includes('/.') && path.length < MAX_NAME_BYTES) return null;
  const parts = path.split('/');
  return RULES.find(([, isTrick]) => isTrick(path, parts))?.[0] ?? null;
}
