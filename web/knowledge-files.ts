import type { AddKnowledge, KnowledgeType } from '../domain/knowledge.ts';

/** As the server has it; told before ten megabytes are sent for nothing. */
const MOST_BYTES = 10 * 1024 * 1024;

const BY_ENDING: Record<string, KnowledgeType> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  csv: 'text/plain',
  rst: 'text/plain',
  pdf: 'application/pdf',
};
/** What a file picker offers. */
export const ACCEPTED = Object.keys(BY_ENDING)
  .map((ending) => `.${ending}`)
  .join(',');

/** By its ending, which browsers agree on; for others, whether the browser takes it for text. */
export function typeOf({ name, type }: { name: string; type: string }): KnowledgeType | null {
  const known = BY_ENDING[name.split('.').at(-1)?.toLowerCase() ?? ''];
  if (known) return known;
  if (type === 'application/pdf') return 'application/pdf';
  return type.startsWith('text/') ? 'text/plain' : null;
}

/** Why a file cannot be added, in words; null where it can. */
export function fileProblem(file: { name: string; type: string; size: number }): string | null {
  if (typeOf(file) === null) return `${file.name} is neither text, Markdown nor PDF.`;
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > MOST_BYTES) return `${file.name} is larger than 10 MB.`;
  return null;
}

const CHUNK = 0x8000;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Always as bytes: read as text here, a file that is none would lose what makes it one before anybody noticed. */
export async function uploadOf(file: File, workspace_id: string): Promise<AddKnowledge> {
  const content_base64 = base64(new Uint8Array(await file.arrayBuffer()));
  return { workspace_id, name: file.name.slice(0, 200), content_type: typeOf(file) ?? 'text/plain', content_base64 };
}
