import type { Evidence, EvidencePart } from '../domain/evidence.ts';
import { at, call } from './http.ts';

const part = (runId: string, id: string, offset: number) =>
  call<EvidencePart>(`/runs/${at(runId)}/evidence/${at(id)}`, { query: { offset } });

/** All that it said, however long: part after part. */
async function output(runId: string, id: string): Promise<string> {
  const parts: string[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const { output: text, next_offset }: EvidencePart = await part(runId, id, next);
    parts.push(text);
    next = next_offset;
  }
  return parts.join('');
}

export const evidenceApi = {
  ofCall: (runId: string, call_id: string) =>
    call<{ items: Evidence[] }>(`/runs/${at(runId)}/evidence`, { query: { call_id } }),
  part,
  output,
};
