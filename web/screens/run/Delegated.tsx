import { ArrowUpRight } from 'lucide-react';
import { Link } from 'react-router';
import { Markdown } from '../../components/Markdown.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Working } from '../../components/Working.tsx';
import { useRunFeed } from '../../live-hooks.ts';
import { spentInTree, statusOf } from '../../transcript.ts';
import type { Delegation } from '../../transcript-items.ts';
import { SpentFacts } from './Spent.tsx';

/** The run another agent makes of a call: how it stands, what it says now, what it has used. */
export function Delegated({ delegation }: { delegation: Delegation }) {
  const { transcript } = useRunFeed(delegation.run_id);
  const spent = delegation.spent ?? spentInTree(transcript);
  const said = transcript.writing?.text ?? transcript.items.findLast((item) => item.kind === 'model')?.text ?? '';
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <StatusBadge status={delegation.status ?? statusOf(transcript)} filled />
        <Link
          to={`/runs/${encodeURIComponent(delegation.run_id)}`}
          className="inline-flex items-center gap-1 rounded text-accent-ink hover:underline"
        >
          Open its run <ArrowUpRight aria-hidden size={14} />
        </Link>
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <SpentFacts spent={spent} />
      </dl>
      {delegation.status === null && (said === '' ? <Working word="Working…" /> : <Markdown text={said} />)}
    </div>
  );
}
