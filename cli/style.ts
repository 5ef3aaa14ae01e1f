import { styleText } from 'node:util';

export type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';
export type Style = (format: Format, text: string) => string;

export const coloured: Style = (format, text) =>
  text === '' ? '' : styleText(format, text, { validateStream: false });
export const uncoloured: Style = (_format, text) => text;

/** Honours NO_COLOR, FORCE_COLOR and TERM as Node does. */
export const styleFor = (stream: NodeJS.WriteStream): Style =>
  stream.isTTY && stream.hasColors() ? coloured : uncoloured;

const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Text of models, files and other people as it may go to a terminal: what could move the cursor, change colours or
 * reorder what is read is shown instead of done. An approval must not look like another one.
 */
export const harmless = (text: string): string =>
  text.replace(UNSEEN, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** One line of at most so many characters. */
export function brief(text: string, length: number): string {
  const line = harmless(text.trim().replace(/\s+/g, ' '));
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
}
