import { Network } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { FlowStepView } from '../../../domain/flow-view.ts';
import type { Run } from '../../../domain/run.ts';
import { allSteps } from '../../../domain/step-lists.ts';
import { Copyable } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Segments } from '../../components/Segments.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { shortId } from '../../format.ts';
import { useRunFeed } from '../../live-hooks.ts';
import { useIsNarrow } from '../../media.ts';
import { lookOf } from '../../status.ts';
import { spentSoFar } from '../../transcript.ts';
import { RunActions } from '../run/RunActions.tsx';
import { RunHeader } from '../run/RunHeader.tsx';
import { mattersMost, useFlow } from './flow-run.ts';
import { GoOnFromStep } from './GoOnFromStep.tsx';
import { RunOutcome } from './RunOutcome.tsx';
import { StepDetail } from './StepDetail.tsx';

const Graph = lazy(() => import('./Graph.tsx'));

const CRUMBS = [{ to: '/runs', name: 'Runs' }];
const NO_PROBLEMS = new Map();

/** The run of a workflow: its steps as a graph that is coloured as they go, and the chosen one beside it. */
export default function FlowRunPage({ run }: { run: Run }) {
  const { id, status } = run;
  const { transcript } = useRunFeed(id);
  const flow = useFlow(run, transcript.next_cursor);
  const [chosen, setChosen] = useState<string | null>(null);
  const [goesOn, setGoesOn] = useState<{ way: 'resume' | 'fork'; step: FlowStepView } | null>(null);
  const [pane, setPane] = useState<'graph' | 'step'>('graph');
  const isNarrow = useIsNarrow();

  const waits = new Set(run.pending_actions.map((action) => action.id));
  const matters = mattersMost(flow.runSteps, waits);
  const instance = flow.runSteps.find(({ address }) => address === chosen) ?? (chosen === null ? matters : undefined);
  const stepId = instance?.id ?? chosen;
  const step = allSteps(flow.steps).find((each) => each.id === stepId);
  const all = flow.runSteps.filter((each) => each.id === stepId);
  const select = (stepOf: string): void => {
    const own = flow.runSteps.filter((each) => each.id === stepOf);
    setChosen((own.find((each) => each.status !== 'completed') ?? own[0])?.address ?? stepOf);
    setPane('step');
  };
  const resume = (from: FlowStepView): void => setGoesOn({ way: 'resume', step: from });
  const fork = (from: FlowStepView): void => setGoesOn({ way: 'fork', step: from });
  const own = instance && !instance.inherited ? instance : flow.runSteps.find(({ inherited }) => !inherited);
  const failed = flow.runSteps.find((each) => each.address === run.error?.details.step) ?? matters;
  return (
    <Page
      title={run.definition_name ?? 'Workflow'}
      tab={`${lookOf(status).word}: ${run.definition_name}`}
      crumbs={CRUMBS}
      fixed
      aside={
        <span className="flex shrink-0 items-center gap-3 max-sm:order-last max-sm:w-full">
          <span className="max-sm:hidden">
            <Copyable text={id} label="run id" shown={shortId(id)} />
          </span>
          <Link
            to={`/workflows/${encodeURIComponent(run.definition_id ?? '')}`}
            className="rounded text-small text-accent-ink hover:underline"
          >
            Open workflow
          </Link>
          <Link
            to={`/runs/${encodeURIComponent(id)}/tree`}
            className="inline-flex items-center gap-1.5 rounded text-small text-accent-ink hover:underline"
          >
            <Network aria-hidden size={14} /> Tree of runs
          </Link>
        </span>
      }
      action={
        <RunActions
          id={id}
          status={status}
          hasBelow
          onResume={failed ? () => resume(failed) : null}
          onFork={own ? () => fork(own) : null}
        />
      }
    >
      <RunHeader run={run} transcript={transcript} told={spentSoFar(transcript, () => undefined)} status={status} />
      {isNarrow && (
        <div className="border-b border-line p-2">
          <Segments
            label="Show"
            value={pane}
            choices={[
              { value: 'graph', name: 'Graph' },
              { value: 'step', name: 'Step' },
            ]}
            onChange={setPane}
          />
        </div>
      )}
      {flow.error && (
        <div className="p-4">
          <ErrorNote title="The steps could not be read" error={flow.error} />
        </div>
      )}
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)] max-md:grid-cols-1">
        {(!isNarrow || pane === 'graph') && (
          <section aria-label="Steps" className="min-h-0 bg-canvas">
            <Suspense fallback={<Skeleton className="m-6 h-40" />}>
              {!flow.isPending && (
                <Graph
                  steps={flow.steps}
                  looks={flow.looks}
                  problems={NO_PROBLEMS}
                  names={flow.names}
                  selected={stepId ?? null}
                  onSelect={select}
                />
              )}
            </Suspense>
          </section>
        )}
        {(!isNarrow || pane === 'step') && (
          <section aria-label="Details" className="flex min-h-0 min-w-0 flex-col border-line md:border-l">
            {(instance === undefined || instance !== failed || run.error === null) && <RunOutcome run={run} />}
            {step ? (
              <StepDetail
                run={run}
                step={step}
                name={flow.names[step.id]}
                all={all}
                chosen={instance}
                onChoose={setChosen}
                onResume={status === 'failed' ? resume : null}
                onFork={lookOf(status).ended ? fork : null}
              />
            ) : (
              <p className="p-6 text-soft">Choose a step to see what it was given and what it gave.</p>
            )}
          </section>
        )}
      </div>
      <p role="status" className="sr-only">
        Run status: {lookOf(status).word}
      </p>
      {goesOn && <GoOnFromStep runId={id} {...goesOn} onClose={() => setGoesOn(null)} />}
    </Page>
  );
}
