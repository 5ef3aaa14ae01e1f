import type { Run } from '../../../domain/run.ts';
import type { Said } from '../../conversation.ts';
import { asText } from '../../format.ts';

/** A run as the two things that were said: what it was asked, and what came of it. */
function messagesOfRun({ id, input, output, created_at, completed_at }: Run): Said[] {
  const asked = { id: `${id}-asked`, role: 'user' as const, content: asText(input), run_id: id, created_at };
  const answer = asText(output);
  if (answer === '') return [asked];
  const answered = { ...asked, id: `${id}-answered`, role: 'assistant' as const, content: answer };
  return [asked, { ...answered, created_at: completed_at ?? created_at }];
}

/** What a session holds of its newest runs, after what the records of older ones tell. */
export function messagesOf({ messages }: { messages: readonly Said[] }, records: ReadonlyMap<string, Run>): Said[] {
  const first = messages[0]?.created_at;
  const held = new Set(messages.map(({ run_id }) => run_id));
  const older = [...records.values()]
    .filter(({ id, created_at }) => !held.has(id) && (first === undefined || created_at < first))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return [...older.flatMap(messagesOfRun), ...messages];
}
