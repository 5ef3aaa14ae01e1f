import { deleteBlob, readBlob, writeBlob } from './blobs.ts';

/** Text of any size in a document: where it is large it lies in the blob store. */
export interface KeptText {
  text: string | null;
  blob: string | null;
}

const MAX_INLINE_CHARS = 256 * 1024;

export async function keepText(text: string): Promise<KeptText> {
  return text.length > MAX_INLINE_CHARS ? { text: null, blob: await writeBlob(text) } : { text, blob: null };
}

export const readText = ({ text, blob }: KeptText): Promise<string> =>
  blob === null ? Promise.resolve(text ?? '') : readBlob(blob);

export async function dropText({ blob }: Pick<KeptText, 'blob'>): Promise<void> {
  if (blob !== null) await deleteBlob(blob);
}
