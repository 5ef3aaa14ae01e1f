import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { isAfter, type Transcript, type Try } from './transcript.ts';
import { applyEvent } from './transcript-events.ts';
import { callKey } from './transcript-turns.ts';

interface Received {
  transcript: Transcript;
  /** Something is missing between what is here and what came: ask again from next_cursor. */
  jumped: boolean;
}

/** Takes in events in any order and any number of times; what comes before a hole is kept, what comes after it is not. */
export function receive(transcript: Transcript, events: readonly RunEvent[]): Received {
  const fresh = events.filter((event) => event.cursor >= transcript.next_cursor).sort((a, b) => a.cursor - b.cursor);
  if (fresh.length === 0) return { transcript, jumped: false };
  const next: Transcript = { ...transcript, items: [...transcript.items] };
  for (const event of fresh) {
    if (event.cursor < next.next_cursor) continue;
    if (event.cursor > next.next_cursor) return { transcript: next, jumped: true };
    applyEvent(next, event);
    next.next_cursor = event.cursor + 1;
  }
  return { transcript: next, jumped: false };
}

/** Takes in a piece of text being written. Pieces overlap after a reconnect; a piece past the end is a jump. */
export function write(transcript: Transcript, delta: Delta): Received {
  const from: Try = { turn: delta.turn, try: delta.try };
  const { writing, closed } = transcript;
  const isLate = !isAfter(from, closed) || (writing !== null && isAfter(writing, from));
  if (isLate) return { transcript, jumped: false };
  const isSame = writing !== null && !isAfter(from, writing);
  const written = isSame ? writing.text : '';
  if (delta.offset > written.length) return { transcript, jumped: true };
  const added = delta.text.slice(written.length - delta.offset);
  if (isSame && added === '') return { transcript, jumped: false };
  return { transcript: { ...transcript, writing: { ...from, text: written + added } }, jumped: false };
}

/** The same for what a call says while it is under way. Of a call that is not known yet, or over, nothing is shown. */
export function hear(transcript: Transcript, output: ToolOutput): Received {
  const key = callKey(output.turn, output.call_id);
  const call = transcript.items.findLast((item) => item.key === key);
  if (transcript.ended || (call?.kind === 'call' && call.result)) return { transcript, jumped: false };
  const heard = transcript.outputs[key] ?? '';
  if (output.offset > heard.length) return { transcript, jumped: true };
  const added = output.text.slice(heard.length - output.offset);
  if (added === '') return { transcript, jumped: false };
  return { transcript: { ...transcript, outputs: { ...transcript.outputs, [key]: heard + added } }, jumped: false };
}
