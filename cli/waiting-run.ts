import type { InboxItem } from '../domain/pending.ts';
import type { Run } from '../domain/run.ts';
import type { Client } from '../sdk/client.ts';
import { actionTitle } from './pending-view.ts';
import { brief } from './style.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';

type Kind = InboxItem['kind'];

const NOUN: Record<Kind, string> = { action: 'action', question: 'question', review: 'review' };
const VERB: Record<Kind, string> = { action: 'approve', question: 'answer', review: 'review' };

function reviewTitle({ review }: InboxItem): string {
  if (!review) return '';
  if (review.state !== 'conflict') return `${review.hunks} changes in ${review.files} files`;
  return `a conflict in ${(review.conflict ?? []).map(({ file_path }) => file_path).join(', ')}`;
}

const about = (item: InboxItem): string =>
  brief(item.action ? actionTitle(item.action) : (item.question?.question ?? reviewTitle(item)), 60);

export function candidateLines(items: InboxItem[], now: number): string[] {
  return items.map((item) => {
    const choice = item.action ? ` --action ${item.action.id}` : '';
    return `  longhaul ${VERB[item.kind]} ${item.run_id}${choice}   ${about(item)} (${brief(item.agent_name, 30)}, ${ago(item.since, now)})`;
  });
}

/** The run that is meant: the one that was named, or the only one that waits in this way. */
export async function waitingRun(client: Client, kind: Kind, id: string | undefined): Promise<Run> {
  const pending = (run: Run): unknown[] =>
    ({ action: run.pending_actions, question: run.pending_questions, review: run.pending_reviews })[kind];
  if (id !== undefined) {
    const run = await client.runs.get(id);
    if (pending(run).length > 0) return run;
    throw new Trouble(
      `No ${NOUN[kind]} of ${id} waits: it is ${run.status}.`,
      `See what it does: longhaul watch ${id}`,
    );
  }
  const items = (await client.inbox()).items.filter((item) => item.kind === kind);
  const runs = [...new Set(items.map((item) => item.run_id))];
  const [only] = runs;
  if (only === undefined) {
    throw new Trouble(`No ${NOUN[kind]} waits in any run.`, 'See what there is: longhaul runs');
  }
  if (runs.length === 1) return client.runs.get(only);
  throw new Trouble(`${runs.length} runs wait; say which one is meant:`, candidateLines(items, Date.now()).join('\n'));
}
