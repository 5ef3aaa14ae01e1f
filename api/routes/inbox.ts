import { z } from 'zod';
import { mayAnswer } from '../../domain/identity.ts';
import { type InboxItem, inboxItemSchema } from '../../domain/pending.ts';
import { type RunRecord, toRun } from '../../store/run-record.ts';
import { waitingRuns } from '../../store/runs.ts';
import { type Route, route } from '../route.ts';

function itemsOf(record: RunRecord): InboxItem[] {
  const run = toRun(record);
  const { id: run_id, conversation_id, agent_name, workspace_id } = run;
  const about = { run_id, conversation_id, agent_name, workspace_id };
  // What a run below asks stands in the inbox as that run's own.
  const isOwn = ({ run_id }: { run_id: string }) => run_id === run.id;
  return [
    ...run.pending_actions.filter(isOwn).map((action) => ({
      ...about,
      kind: 'action' as const,
      since: action.created_at,
      action,
      question: null,
      review: null,
    })),
    ...run.pending_questions.filter(isOwn).map((question) => ({
      ...about,
      kind: 'question' as const,
      since: question.created_at,
      action: null,
      question,
      review: null,
    })),
    ...run.pending_reviews.filter(isOwn).map((review) => ({
      ...about,
      kind: 'review' as const,
      since: review.created_at,
      action: null,
      question: null,
      review,
    })),
  ];
}

export const inboxRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/inbox',
    tag: 'Inbox',
    summary: 'Everything that waits for you, longest waiting first',
    replies: { 200: z.object({ items: z.array(inboxItemSchema) }) },
    handler: async ({ caller }) => {
      const runs = await waitingRuns(caller);
      const items = runs.filter((run) => mayAnswer(caller, run)).flatMap(itemsOf);
      return { status: 200, body: { items: items.sort((a, b) => a.since.localeCompare(b.since)) } };
    },
  }),
];
