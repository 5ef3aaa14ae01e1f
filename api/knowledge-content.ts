import { Failure } from '../domain/failures.ts';
import { type AddKnowledge, MAX_KNOWLEDGE_BYTES } from '../domain/knowledge.ts';
import { pdfText } from './pdf-text.ts';
import { invalid } from './route.ts';

function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('body', { content_base64: 'is not UTF-8 text' });
  }
}

async function pagesIn(bytes: Uint8Array): Promise<string[]> {
  const found = await pdfText(bytes);
  if ('problem' in found) throw invalid('body', { content_base64: `cannot be read as a PDF (${found.problem})` });
  if (found.pages.every((page) => page.trim() === '')) {
    throw invalid('body', { content_base64: 'holds no text; a scan must be put through text recognition first' });
  }
  return found.pages;
}

/** What was uploaded, as text: the pages of a PDF, one page of anything else. */
export async function readContent(body: AddKnowledge): Promise<{ bytes: number; pages: string[] }> {
  const { content, content_base64 = '', content_type } = body;
  const sent = content === undefined ? Buffer.from(content_base64, 'base64') : Buffer.from(content, 'utf8');
  if (sent.length > MAX_KNOWLEDGE_BYTES) {
    throw new Failure('too_large', 'The file is too large.', { bytes: sent.length, most: MAX_KNOWLEDGE_BYTES });
  }
  if (content_type === 'application/pdf') {
    return { bytes: sent.length, pages: await pagesIn(new Uint8Array(sent)) };
  }
  const text = content ?? textIn(sent);
  if (text.trim() === '') throw invalid('body', { content: 'holds no text' });
  return { bytes: sent.length, pages: [text] };
}
