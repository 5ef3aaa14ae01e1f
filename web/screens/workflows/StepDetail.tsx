import { ExternalLink, GitFork, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { FlowStepView } from '../../../domain/flow-view.ts';
import type { Run } from '../../../domain/run.ts';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { ActionCard, type ActionMode } from '../../components/ActionCard.tsx';
import { Button } from '../../components/Button.tsx';
import { Problem } from '../../components/ErrorNote.tsx';
import { Elapsed, In } from '../../components/Times.tsx';
import { Value } from '../../components/Value.tsx';
import { useDecisions } from '../../decisions.ts';
import { TONE_INK } from '../../status.ts';
import { lookOfStep, STEP_ICONS, stepWords } from '../../workflow-words.ts';

interface Props {
  run: Run;
  step: FlowStep;
  /** What its agent, tool or workflow is called. */
  name: string | undefined;
  /** Its runs: one, or in a map one for each item. */
  all: readonly FlowStepView[];
  chosen: FlowStepView | undefined;
  onChoose: (address: string) => void;
  /** Null where the run cannot be gone on from. */
  onResume: ((step: FlowStepView) => void) | null;
  /** Null while the run goes on. */
  onFork: ((step: FlowStepView) => void) | null;
}

/** One step: what it was given, what came of it, and what can be done about it. */
export function StepDetail({ run, step, name, all, chosen, onChoose, onResume, onFork }: Props) {
  const Icon = STEP_ICONS[step.type];
  const waits = new Set(run.pending_actions.map(({ id }) => id));
  const look = chosen ? lookOfStep(step.id, [chosen], waits, run.completed_at !== null) : null;
  const action = run.pending_actions.find(({ id }) => id === chosen?.action_id);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-6 max-sm:p-4">
      <header className="flex flex-col gap-1">
        <h2 className="flex items-center gap-2 font-semibold">
          <Icon aria-hidden size={16} className="text-faint" />
          <span className="truncate">{step.name ?? step.id}</span>
          {look && <span className={`font-medium ${TONE_INK[look.tone]}`}>{look.word}</span>}
        </h2>
        <p className="break-words text-soft">{stepWords(step, name)}</p>
        {chosen && (
          <p className="flex flex-wrap gap-x-4 text-small text-soft">
            <span className="font-mono">{chosen.address}</span>
            {chosen.attempt > 1 && <span>try {chosen.attempt}</span>}
            <Elapsed from={chosen.begun_at} to={chosen.ended_at} />
            {chosen.until && chosen.status === 'running' && (
              <span>
                goes on <In at={chosen.until} />
              </span>
            )}
          </p>
        )}
      </header>
      {all.length > 1 && <Items all={all} chosen={chosen} onChoose={onChoose} />}
      {!chosen && <p className="text-soft">This step has not begun{run.completed_at ? ', and will not' : ' yet'}.</p>}
      {action && <Approval key={`${action.id}-${action.shown_at ?? ''}`} run={run} action={action} />}
      {chosen?.error && (
        <Problem title="The step failed" code={chosen.error.code} message={chosen.error.message}>
          {onResume && (
            <div className="pt-2">
              <Button kind="primary" onClick={() => onResume(chosen)}>
                <RotateCw aria-hidden size={14} /> Resume from here
              </Button>
            </div>
          )}
        </Problem>
      )}
      {chosen?.child_run_id && (
        <Link
          to={`/runs/${encodeURIComponent(chosen.child_run_id)}`}
          className="inline-flex items-center gap-1.5 self-start rounded text-accent-ink hover:underline"
        >
          <ExternalLink aria-hidden size={14} /> Open the run of {chosen.name}
        </Link>
      )}
      {chosen && chosen.input !== null && (
        <section className="flex flex-col gap-1.5">
          <h3 className="text-small font-medium text-soft">Given</h3>
          <Value value={chosen.input} label="What the step was given" />
        </section>
      )}
      {chosen?.status === 'completed' && (
        <section className="flex flex-col gap-1.5">
          <h3 className="text-small font-medium text-soft">Gave</h3>
          <Value value={chosen.output} label="What the step gave" />
        </section>
      )}
      {chosen && (
        <div className="flex flex-wrap gap-2 empty:hidden">
          {chosen.status === 'completed' && onResume && (
            <Button kind="quiet" onClick={() => onResume(chosen)}>
              <RotateCw aria-hidden size={14} /> Do it again from here
            </Button>
          )}
          {onFork && !chosen.inherited && (
            <Button kind="quiet" onClick={() => onFork(chosen)}>
              <GitFork aria-hidden size={14} /> Fork from here
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Items({ all, chosen, onChoose }: Pick<Props, 'all' | 'chosen' | 'onChoose'>) {
  return (
    <ul aria-label="For each item" className="flex max-h-40 flex-wrap gap-1 overflow-y-auto">
      {all.map((each) => {
        const look = lookOfStep(each.id, [each], new Set());
        return (
          <li key={each.address}>
            <button
              type="button"
              aria-pressed={each.address === chosen?.address}
              title={`${each.address}: ${look?.word ?? ''}`}
              onClick={() => onChoose(each.address)}
              className={`h-7 min-w-7 rounded border px-1.5 font-mono text-small aria-pressed:border-accent-ink aria-pressed:bg-chosen ${look ? TONE_INK[look.tone] : ''} border-line`}
            >
              {[...each.address.matchAll(/\[(\d+)\]/g)].map(([, n]) => n).join('.')}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Approval({ run, action }: { run: Run; action: Run['pending_actions'][number] }) {
  const { decide, revise } = useDecisions(run.id);
  const { id, digest } = action;
  const [mode, setMode] = useState<ActionMode>('look');
  return (
    <ActionCard
      action={action}
      mode={mode}
      onMode={setMode}
      busy={[decide, revise].some(({ isPending, isSuccess }) => isPending || isSuccess)}
      error={decide.error ?? revise.error}
      takesFocus
      onDecide={(decision) => decide.mutate({ id, digest, ...decision })}
      onRevise={(edited) => revise.mutate({ id, digest, arguments: edited })}
    />
  );
}
