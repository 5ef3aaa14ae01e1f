import type { RunEvent } from '../../domain/run-events.ts';
import { endOf } from '../../sdk/transcript-filter.ts';

/** What is wrong with a log as a client reads it: a gap, an answer or a result that is there twice, more than one end. */
export function flawsOf(events: RunEvent[]): string[] {
  const flaws: string[] = [];
  const answered = new Set<unknown>();
  const done = new Set<string>();
  for (const [index, { cursor, type, data }] of events.entries()) {
    if (cursor !== index + 1) flaws.push(`event ${cursor} where ${index + 1} was due`);
    if ((type === 'model.started' || type === 'model.completed') && answered.has(data.turn)) {
      flaws.push(`${type} of turn ${data.turn} after its answer`);
    }
    if (type === 'model.completed' && data.ok === true) answered.add(data.turn);
    if (type !== 'tool.completed') continue;
    const call = `${data.turn}:${data.call_id}`;
    if (done.has(call)) flaws.push(`call ${data.call_id} of turn ${data.turn} has two results`);
    done.add(call);
  }
  const ends = events.filter(endOf);
  if (ends.length !== 1 || events.at(-1) !== ends[0]) flaws.push(`${ends.length} ends`);
  return flaws;
}
