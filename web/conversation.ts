import type { SessionMessage } from '../domain/session.ts';
import { rowsOf } from './activity.ts';
import type { Transcript } from './transcript.ts';
import type { AskItem, CallItem, ModelItem, NoteItem } from './transcript-items.ts';

/** What was said; what waits is told by the run that asks. */
export type Said = Omit<SessionMessage, 'pending_actions'>;

/** A line of a conversation. Its key is the same however much of it is known, so that nothing is drawn anew. */
export type ChatRow = { key: string; run_id: string } & (
  | { type: 'user'; content: string; at: string; by: string }
  /** An answer as the session keeps it, where the steps that led to it are not here. */
  | { type: 'answer'; text: string; at: string }
  | { type: 'turn'; item: ModelItem; text: string }
  | { type: 'call'; item: CallItem; open: boolean; depth: number }
  | { type: 'fold'; calls: CallItem[]; open: boolean }
  | { type: 'ask'; item: AskItem }
  | { type: 'note'; item: Exclude<NoteItem, { kind: 'message' | 'inherited' | 'checkout' }> }
  /** Closes what one run has said: how it stands, what it cost, where to look closer. */
  | { type: 'foot'; transcript: Transcript | null }
);

export type Transcripts = (runId: string) => Transcript | undefined;

const steerKey = (runId: string, index: number): string => `${runId}/said-${index}`;

/** What the page shows of one run's own log; its end is told by the foot. */
function told(runId: string, transcript: Transcript, opened: ReadonlySet<string>): ChatRow[] {
  const rows: ChatRow[] = [];
  let said = 0;
  for (const row of rowsOf(transcript.items, opened, undefined, { run_id: runId, depth: 0 })) {
    const { key } = row;
    if (row.type === 'fold') {
      rows.push({ type: 'fold', key, run_id: runId, calls: row.calls, open: row.open });
      continue;
    }
    const { item } = row;
    switch (item.kind) {
      case 'model': {
        const written = transcript.writing?.turn === item.turn ? transcript.writing.text : '';
        const text = item.text || written;
        const isSilent = text.trim() === '' && item.state !== 'writing' && item.failures.length === 0;
        if (!isSilent) rows.push({ type: 'turn', key, run_id: runId, item, text });
        break;
      }
      case 'call':
        rows.push({ type: 'call', key, run_id: runId, item, open: opened.has(key), depth: row.depth });
        break;
      case 'ask':
        rows.push({ type: 'ask', key, run_id: runId, item });
        break;
      case 'message':
        said += 1;
        rows.push({
          type: 'user',
          key: steerKey(runId, said),
          run_id: runId,
          content: item.content,
          at: item.at,
          by: item.by.name,
        });
        break;
      case 'inherited':
      case 'checkout':
      case 'end':
        break;
      default:
        rows.push({ type: 'note', key, run_id: runId, item });
    }
  }
  return rows;
}

/** What the session keeps of a run and its log does not tell, or not yet. */
function untold(runId: string, messages: readonly Said[], transcript: Transcript | undefined): ChatRow[] {
  const items = transcript?.items ?? [];
  const received = items.filter((item) => item.kind === 'message').length;
  const turns = items.filter(
    (item): item is ModelItem => item.kind === 'model' && !item.sums_up && item.text.trim() !== '',
  );
  const isWhole = transcript !== undefined && transcript.ended !== null;
  let said = -1;
  let answered = 0;
  return messages.flatMap(({ id, role, content, created_at }): ChatRow[] => {
    if (role === 'user') {
      said += 1;
      // The first is what the run was started with, which its log does not repeat.
      if (said > 0 && said <= received) return [];
      return [{ type: 'user', key: steerKey(runId, said), run_id: runId, content, at: created_at, by: '' }];
    }
    if (content.trim() !== '') answered += 1;
    // The same words may be said twice, and of an old run only the last ones are kept.
    const isTold = answered <= turns.length && turns.some(({ text }) => text.trim() === content.trim());
    if (isWhole || isTold || content.trim() === '') return [];
    return [{ type: 'answer', key: `${runId}/${id}`, run_id: runId, text: content, at: created_at }];
  });
}

function rowsOfRun(
  runId: string,
  messages: readonly Said[],
  transcript: Transcript | undefined,
  opened: ReadonlySet<string>,
): ChatRow[] {
  const kept = untold(runId, messages, transcript);
  const foot: ChatRow = { type: 'foot', key: `${runId}/foot`, run_id: runId, transcript: transcript ?? null };
  if (!transcript) return [...kept, foot];
  const isTask = (row: ChatRow): boolean => row.key === steerKey(runId, 0);
  const rest = kept.filter((row) => !isTask(row));
  return [...kept.filter(isTask), ...told(runId, transcript, opened), ...rest, foot];
}

/**
 * One conversation over all runs of a session, from the messages the session keeps and from the logs of the runs that
 * are followed. Either may be ahead of the other, or be only a part; what both tell shows once, what one tells shows.
 */
export function conversationOf(
  messages: readonly Said[],
  latest: string | null,
  transcripts: Transcripts,
  opened: ReadonlySet<string>,
): ChatRow[] {
  const runs = new Map<string, Said[]>();
  for (const message of messages) {
    const id = message.run_id;
    const own = runs.get(id);
    if (own) own.push(message);
    else runs.set(id, [message]);
  }
  if (latest !== null && !runs.has(latest)) runs.set(latest, []);
  return [...runs].flatMap(([id, own]) => rowsOfRun(id, own, transcripts(id), opened));
}
