import type { Delta, RunEvent } from '../domain/run.ts';
import { isAfter, type Transcript, type Try } from './transcript.ts';
import { applyEvent } from './transcript-events.ts';

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
