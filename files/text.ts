import { Failure } from '../domain/failures.ts';

/** UTF-8 as it is, its byte order mark included; whatever else it may be is refused. */
export function decodeText(path: string, bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('not_a_text_file', `${path} is not UTF-8 text.`);
  }
  if (text.includes('\0')) throw new Failure('not_a_text_file', `${path} is a binary file.`);
  return text;
}
