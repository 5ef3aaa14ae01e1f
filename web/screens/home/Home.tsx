import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import type { InboxItem } from '../../../domain/pending.ts';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { callWords } from '../../call-words.ts';
import { Button } from '../../components/Button.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago } from '../../components/Times.tsx';
import { firstLine, inputLine, plural } from '../../format.ts';
import { useInbox, useMe, useWorkspace } from '../../queries.ts';
import { stored } from '../../stored.ts';
import { jobHref } from '../edits/hrefs.ts';
import { useComposer } from '../frame/composer.ts';
import { useLatestRuns } from '../runs/run-list.ts';
import { ThingsToTry } from './ThingsToTry.tsx';

const RUNNING: RunStatus[] = ['queued', 'running', 'paused'];
const DONE: RunStatus[] = ['completed'];
const WRONG: RunStatus[] = ['failed', 'budget_exceeded'];

const hasRuns = stored('longhaul.has-runs');

const runsThat = (status: RunStatus[]) => ({ status, limit: 5 });

/** What needs me, what is running, what went wrong; and for somebody new, what to try. */
export function Home() {
  const compose = useComposer();
  const { data: me } = useMe();
  const workspace = useWorkspace();
  const { data: any, isPending } = useLatestRuns({ limit: 1 });
  const had = hasRuns.use() !== null;
  // Until it is known, the page is laid out for whom it was the last time, so that nothing moves when it is.
  const isNew = any ? any.length === 0 : !had;
  const isKnown = any !== undefined && any.length > 0;
  useEffect(() => {
    if (isKnown) hasRuns.set('yes');
  }, [isKnown]);
  const lists = [useInbox(), useLatestRuns(runsThat(RUNNING)), useLatestRuns(runsThat(WRONG))];
  // What stands below the lists waits for them, so that it does not move under the mouse.
  const isReading = isPending || lists.some((list) => list.isPending);
  return (
    <Page
      title={isNew && me ? `Welcome, ${me.user.name}` : 'Home'}
      action={
        <Button kind="primary" onClick={() => compose()}>
          <Plus aria-hidden size={15} /> New run
        </Button>
      }
    >
      <div className="mx-auto flex max-w-5xl flex-col gap-6 p-6 max-sm:p-4">
        {isNew && (
          <p className="max-w-prose text-soft">
            This is <span className="font-medium text-ink">{workspace?.name}</span>, with a sample notebook to work on.
            Longhaul runs agents that go on through crashes and restarts, and stop to ask you before they change
            anything. Try it:
          </p>
        )}
        {!isNew && <Overview isPending={isPending} />}
        {!isNew && !isReading && <RunColumn title="Done lately" statuses={DONE} empty="Nothing is done yet." />}
        {(isNew || !isReading) && <ThingsToTry isNew={isNew} />}
      </div>
    </Page>
  );
}

function Overview({ isPending }: { isPending: boolean }) {
  const inbox = useInbox();
  return (
    <div className="grid grid-cols-3 gap-4 max-lg:grid-cols-1">
      <Column title="Needs you" to="/inbox" empty="Nothing waits for you." isPending={isPending || inbox.isPending}>
        {inbox.data?.slice(0, 5).map((item) => (
          <Line
            key={`${item.run_id}-${item.action?.id ?? item.question?.id ?? item.review?.review_id}`}
            to={item.review ? jobHref(item.run_id) : runHref(item.run_id)}
            status={WAITS[item.kind]}
            text={askedIn(item)}
            aside={item.agent_name}
            at={item.since}
          />
        ))}
      </Column>
      <RunColumn title="Running" statuses={RUNNING} empty="Nothing is running." />
      <RunColumn title="Went wrong" statuses={WRONG} empty="Nothing has failed." />
    </div>
  );
}

const runHref = (id: string): string => `/runs/${encodeURIComponent(id)}`;

const WAITS: Record<InboxItem['kind'], RunStatus> = {
  action: 'awaiting_confirmation',
  question: 'waiting_for_user',
  review: 'awaiting_review',
};

const askedIn = ({ question, action, review }: InboxItem): string =>
  question
    ? firstLine(question.question)
    : action
      ? wordsOf(action)
      : review
        ? `Review ${plural(review.hunks, 'hunk')} in ${plural(review.files, 'file')}`
        : '';

const wordsOf = (action: {
  type: string;
  path: string | null;
  arguments: Record<string, unknown>;
  preview: string;
}): string => {
  if (action.type === 'approval') return firstLine(action.preview) || 'Approve this step';
  const { verb, object } = callWords({ name: action.type, arguments: action.arguments });
  return `${verb} ${action.path ?? object}`;
};

function RunColumn({ title, statuses, empty }: { title: string; statuses: RunStatus[]; empty: string }) {
  const { data, isPending } = useLatestRuns(runsThat(statuses));
  return (
    <Column title={title} to={`/runs?status=${statuses.join(',')}`} empty={empty} isPending={isPending}>
      {data?.map((run: Run) => (
        <Line
          key={run.id}
          to={runHref(run.id)}
          status={run.status}
          text={inputLine(run.input) || run.agent_name}
          note={run.error?.message}
          aside={run.agent_name}
          at={run.completed_at ?? run.created_at}
        />
      ))}
    </Column>
  );
}

interface ColumnProps {
  title: string;
  to: string;
  empty: string;
  isPending: boolean;
  children?: React.ReactNode[] | undefined;
}

function Column({ title, to, empty, isPending, children = [] }: ColumnProps) {
  return (
    <section aria-busy={isPending} className="flex min-w-0 flex-col rounded-lg border border-line">
      <h2 className="flex items-center justify-between border-b border-line px-4 py-2.5 font-semibold">
        {title}
        <Link
          to={to}
          aria-label={`All: ${title}`}
          className="rounded text-small font-normal text-soft hover:text-ink hover:underline"
        >
          All
        </Link>
      </h2>
      {isPending ? (
        <div className="flex h-15 flex-col justify-center gap-2 px-4">
          <Skeleton className="w-3/4" />
          <Skeleton className="w-1/2" />
        </div>
      ) : children.length > 0 ? (
        <ul className="divide-y divide-line">{children}</ul>
      ) : (
        <p className="flex h-15 items-center px-4 text-faint">{empty}</p>
      )}
    </section>
  );
}

function Line({
  to,
  status,
  text,
  note,
  aside,
  at,
}: {
  to: string;
  status: RunStatus;
  text: string;
  /** What went wrong. */
  note?: string | undefined;
  aside: string;
  at: string;
}) {
  return (
    <li className="relative flex min-w-0 flex-col gap-0.5 px-4 py-2 hover:bg-hover">
      <Link to={to} className="truncate after:absolute after:inset-0" title={text}>
        {text}
      </Link>
      {note && (
        <span className="truncate text-small text-soft" title={note}>
          {note}
        </span>
      )}
      <span className="flex min-w-0 items-center gap-2 text-small text-faint">
        <span className="flex shrink-0">
          <StatusBadge status={status} />
        </span>
        <span className="truncate">{aside}</span>
        <Ago at={at} className="relative ml-auto shrink-0" />
      </span>
    </li>
  );
}
