import { api } from '../../api.ts';
import { ApiError } from '../../http.ts';

/** Reads the steps from the beginning until the one that holds this call's result. */
export async function fullResult(runId: string, turn: number, callId: string): Promise<{ result: unknown }> {
  let cursor: string | null = null;
  do {
    const page = await api.steps(runId, cursor);
    const step = page.items.find(
      ({ type, content }) => type === 'tool_result' && content.turn === turn && content.call_id === callId,
    );
    if (step) return { result: step.content.result ?? null };
    cursor = page.next_cursor;
  } while (cursor !== null);
  throw new ApiError(404, 'not_found', 'No step of this run holds the result.', null);
}
