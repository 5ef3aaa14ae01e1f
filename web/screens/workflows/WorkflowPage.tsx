import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, History, Play } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { writeWorkflowFile } from '../../../domain/workflow-file.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Segments } from '../../components/Segments.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { plural } from '../../format.ts';
import { newKey } from '../../http.ts';
import { useIsNarrow } from '../../media.ts';
import { useMe, useWorkspace } from '../../queries.ts';
import { modName, useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { type Workflow, workflowsApi } from '../../workflows-api.ts';
import { Conflict } from '../agents/FormNotes.tsx';
import { Leaving } from '../agents/Leaving.tsx';
import { isConflict } from '../agents/saving.ts';
import { Versions } from '../definitions/Versions.tsx';
import { RunWorkflow } from './RunWorkflow.tsx';
import { FIRST_WORKFLOW, lineOfStep, useWorkflowText } from './workflow-draft.ts';
import { useKnown, useTargetNames } from './workflow-queries.ts';

/** The largest part of the page, and not needed to read the rest of it. */
const Graph = lazy(() => import('./Graph.tsx'));
const YamlEditor = lazy(() => import('./YamlEditor.tsx'));

const CRUMBS = [{ to: '/workflows', name: 'Workflows' }];
const NO_LOOKS = new Map();

export default function WorkflowPage() {
  const { id } = useParams();
  const workflow = useQuery({
    queryKey: ['workflow', id],
    queryFn: () => workflowsApi.one(id ?? ''),
    enabled: id !== undefined,
  });
  if (id === undefined) return <Editing key="new" workflow={null} />;
  if (workflow.data) return <Editing key={id} workflow={workflow.data} />;
  return (
    <Page title="Workflow" crumbs={CRUMBS}>
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-6">
        {workflow.error ? (
          <ErrorNote title="The workflow could not be opened" error={workflow.error} />
        ) : (
          [0, 1, 2].map((each) => <Skeleton key={each} className="h-8 w-full" />)
        )}
      </div>
    </Page>
  );
}

function useSaving(
  workflow: Workflow | null,
  draft: ReturnType<typeof useWorkflowText>,
  onSaved: (text: string) => void,
) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [version, setVersion] = useState(workflow?.version ?? 0);
  const [key, setKey] = useState(newKey);
  const { file, text } = draft;
  const save = useMutation({
    mutationFn: async (mode: 'checked' | 'over') => {
      if (!file) throw new Error('The text cannot be read yet.');
      if (!workflow) return workflowsApi.create(workspace?.id ?? '', file, key);
      const based = mode === 'checked' ? version : (await workflowsApi.one(workflow.id)).version;
      return workflowsApi.save(workflow.id, file, based);
    },
    onSuccess: (saved) => {
      onSaved(text);
      setVersion(saved.version);
      client.setQueryData(['workflow', saved.id], saved);
      client.invalidateQueries({ queryKey: ['workflows'] });
      toast(workflow ? `Saved as version ${saved.version}` : `Made ${saved.name}`);
      if (!workflow) navigate(`/workflows/${encodeURIComponent(saved.id)}`, { replace: true });
    },
    onError: () => setKey(newKey()),
  });
  const reload = useMutation({
    mutationFn: () => workflowsApi.one(workflow?.id ?? ''),
    onSuccess: (theirs) => {
      save.reset();
      setVersion(theirs.version);
      const written = writeWorkflowFile(theirs);
      draft.change(written);
      onSaved(written);
    },
  });
  return { save, reload, version };
}

function Editing({ workflow }: { workflow: Workflow | null }) {
  const { data: me } = useMe();
  const role = useWorkspace()?.role;
  const initial = useMemo(() => (workflow ? writeWorkflowFile(workflow) : FIRST_WORKFLOW), [workflow]);
  const [base, setBase] = useState(initial);
  const draft = useWorkflowText(initial, useKnown(workflow?.id ?? null));
  const names = useTargetNames(draft.steps);
  const [selected, setSelected] = useState<string | null>(null);
  const [place, setPlace] = useState<{ line: number } | null>(null);
  const [pane, setPane] = useState<'graph' | 'yaml'>('graph');
  const [runs, setRuns] = useState(false);
  const [history, setHistory] = useState(false);
  const isNarrow = useIsNarrow();
  const isChanged = draft.text !== base;
  const unsaved = useUnsaved(isChanged);
  const { save, reload, version } = useSaving(workflow, draft, (text) => {
    setBase(text);
    unsaved.letGo();
  });
  const mayChange = role === 'admin' || (role === 'write' && (!workflow || workflow.created_by === me?.user.id));
  const canSave = mayChange && draft.problems.length === 0 && (isChanged || !workflow) && !save.isPending;
  const submit = (): void => {
    if (canSave) save.mutate('checked');
  };
  useShortcuts({ 'mod+s': submit });
  const select = useCallback(
    (id: string): void => {
      setSelected(id);
      const line = lineOfStep(draft.text, id);
      if (line !== null) setPlace({ line });
    },
    [draft.text],
  );
  const title = draft.file?.name ?? workflow?.name ?? 'New workflow';
  return (
    <Page
      title={workflow ? title : 'New workflow'}
      crumbs={CRUMBS}
      fixed
      aside={workflow && <span className="text-faint">v{version}</span>}
      action={
        <div className="flex items-center gap-2">
          <span role="status" className="text-small text-soft max-md:sr-only">
            {isChanged && mayChange ? 'Not saved yet' : ''}
          </span>
          {workflow && (
            <Button kind="quiet" onClick={() => setHistory(true)}>
              <History aria-hidden size={14} /> <span className="max-sm:sr-only">History</span>
            </Button>
          )}
          {workflow && (
            <Button disabled={isChanged} title={isChanged ? 'Save it first' : ''} onClick={() => setRuns(true)}>
              <Play aria-hidden size={13} /> Run
            </Button>
          )}
          {mayChange && (
            <Button kind="primary" title={`${modName()} S`} busy={save.isPending} disabled={!canSave} onClick={submit}>
              {workflow ? 'Save' : 'Create'}
            </Button>
          )}
        </div>
      }
    >
      <Leaving unsaved={unsaved} />
      {isNarrow && (
        <div className="flex flex-wrap items-center gap-3 border-b border-line p-2">
          <Segments
            label="Show"
            value={pane}
            choices={[
              { value: 'graph', name: 'Graph' },
              { value: 'yaml', name: 'YAML' },
            ]}
            onChange={setPane}
          />
          {pane === 'graph' && <Verdict count={draft.problems.length} />}
        </div>
      )}
      <div className="grid min-h-0 flex-1 grid-cols-2 max-md:grid-cols-1">
        {(!isNarrow || pane === 'graph') && (
          <section aria-label="Graph" className="min-h-0 bg-canvas">
            <Suspense fallback={<Skeleton className="m-6 h-40" />}>
              <Graph
                steps={draft.steps}
                looks={NO_LOOKS}
                problems={draft.byStep}
                names={names}
                selected={selected}
                onSelect={select}
              />
            </Suspense>
          </section>
        )}
        {(!isNarrow || pane === 'yaml') && (
          <section aria-label="YAML" className="flex min-h-0 min-w-0 flex-col border-line md:border-l">
            <Suspense fallback={<Skeleton className="m-6 h-40" />}>
              <YamlEditor
                text={draft.text}
                readOnly={!mayChange}
                wrong={draft.wrongLines}
                place={place}
                onChange={draft.change}
              />
            </Suspense>
            <div className="max-h-56 overflow-y-auto border-t border-line p-3">
              {isConflict(save.error) ? (
                <Conflict
                  busy={save.isPending || reload.isPending}
                  onReload={() => reload.mutate()}
                  onOverwrite={() => save.mutate('over')}
                />
              ) : (
                save.error && <ErrorNote title="It was not saved" error={save.error} />
              )}
              <Problems draft={draft} onOpen={(line) => setPlace({ line })} />
            </div>
          </section>
        )}
      </div>
      {workflow && (
        <Modal open={history} onOpenChange={setHistory} title={`Versions of ${workflow.name}`}>
          <Versions
            id={workflow.id}
            version={version}
            mayChange={mayChange}
            isDirty={isChanged}
            onChanged={() => reload.mutate()}
          />
        </Modal>
      )}
      {runs && workflow && <RunWorkflow workflow={workflow} onClose={() => setRuns(false)} />}
    </Page>
  );
}

function Verdict({ count }: { count: number }) {
  return count === 0 ? (
    <p className="flex items-center gap-1.5 text-small text-done">
      <CircleCheck aria-hidden size={14} /> It can run as it is.
    </p>
  ) : (
    <p className="flex items-center gap-1.5 text-small font-medium text-failed">
      <CircleAlert aria-hidden size={14} /> {plural(count, 'problem')}
    </p>
  );
}

/** Everything that is wrong, with a way to where it is. */
function Problems({ draft, onOpen }: { draft: ReturnType<typeof useWorkflowText>; onOpen: (line: number) => void }) {
  const { problems } = draft;
  if (problems.length === 0) return <Verdict count={0} />;
  return (
    <div role="alert" className="flex flex-col gap-1.5 text-small">
      <Verdict count={problems.length} />
      <ul className="flex flex-col gap-1">
        {problems.map(({ line, step, message }) => (
          <li key={`${line} ${step} ${message}`} className="break-words">
            {line !== null && (
              <button
                type="button"
                className="mr-1.5 rounded text-accent-ink hover:underline"
                onClick={() => onOpen(line)}
              >
                Line {line}
              </button>
            )}
            {step !== null && <span className="font-mono">{step}: </span>}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
