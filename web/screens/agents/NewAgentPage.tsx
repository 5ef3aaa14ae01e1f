import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import { type AgentDraft, BLANK, copyOf, draftOf } from '../../agent-draft.ts';
import { agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useAgents, useWorkspace } from '../../queries.ts';
import { modName, useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { AgentForm } from './AgentForm.tsx';
import { Beginnings } from './Beginnings.tsx';
import { Refusal } from './FormNotes.tsx';
import { Leaving } from './Leaving.tsx';
import { errorsOf, useCreate, useDraft } from './saving.ts';

const CRUMBS = [{ to: '/agents', name: 'Agents' }];

/** First what to begin with, then the form. */
export default function NewAgentPage() {
  const workspace = useWorkspace();
  const from = useSearchParams()[0].get('from');
  const [begun, setBegun] = useState<AgentDraft | null>(null);
  const original = useQuery({
    queryKey: ['agent', from],
    queryFn: () => agentsApi.agent(from ?? ''),
    enabled: from !== null,
  });
  const model = useUsualModel();
  const start = begun ?? (original.data ? copyOf(original.data) : null);
  if (workspace?.role === 'read')
    return (
      <Page title="New agent" crumbs={CRUMBS}>
        <EmptyState icon={Lock} title="You may not make agents here">
          You may only read in this workspace. Ask one of its admins for the right to write.
        </EmptyState>
      </Page>
    );
  if (workspace && start)
    return <Begun key={workspace.id} workspaceId={workspace.id} initial={{ ...start, model: start.model || model }} />;
  return (
    <Page title="New agent" crumbs={CRUMBS}>
      {original.error ? (
        <div className="p-6">
          <ErrorNote title="The agent to copy could not be read" error={original.error} />
        </div>
      ) : from !== null || !workspace ? (
        <Skeleton className="m-6 w-1/2" />
      ) : (
        <Beginnings
          workspaceId={workspace.id}
          onTemplate={(template) => setBegun(draftOf(template.agent))}
          onBlank={() => setBegun(BLANK)}
        />
      )}
    </Page>
  );
}

/** The model most agents of the workspace have: what a new one begins with, where nothing else is said. */
function useUsualModel(): string {
  const { data: agents = [] } = useAgents();
  const counts = new Map<string, number>();
  for (const { model } of agents) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

function Begun({ workspaceId, initial }: { workspaceId: string; initial: AgentDraft }) {
  const navigate = useNavigate();
  const drafting = useDraft(initial);
  const unsaved = useUnsaved(drafting.isChanged);
  const isMade = useRef(false);
  const onMade = (agent: Agent): void => {
    // What is made is saved: nobody is asked on the way to its page.
    isMade.current = true;
    unsaved.letGo();
    toast(`Made ${agent.name}`);
    navigate(`/agents/${encodeURIComponent(agent.id)}`, { replace: true });
  };
  const create = useCreate(workspaceId, drafting, onMade);
  const errors = useMemo(() => errorsOf(create.error), [create.error]);
  const { name, model } = drafting.draft;
  const canCreate = name.trim() !== '' && model.trim() !== '';
  const submit = (): void => {
    if (canCreate && !create.isPending && !isMade.current) create.mutate(BLANK);
  };
  useShortcuts({ 'mod+s': submit });
  return (
    <Page
      title="New agent"
      crumbs={CRUMBS}
      action={
        <div className="flex items-center gap-3">
          {!canCreate && <span className="text-small text-faint max-sm:sr-only">It needs a name and a model.</span>}
          <Button
            kind="primary"
            title={`${modName()} S`}
            busy={create.isPending}
            disabled={!canCreate}
            onClick={submit}
          >
            Create agent
          </Button>
        </div>
      }
    >
      <Leaving unsaved={unsaved} />
      <AgentForm
        drafting={drafting}
        agentId={null}
        version={0}
        errors={errors}
        disabled={false}
        onSubmit={submit}
        notes={create.error && <Refusal title="The agent was not made" error={create.error} fields={errors} />}
      />
    </Page>
  );
}
