import { useQuery } from '@tanstack/react-query';
import { Bot, CircleAlert, Play } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import { draftOf } from '../../agent-draft.ts';
import { whyReadOnly } from '../../agent-list.ts';
import { agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { Opening } from '../../components/Opening.tsx';
import { Page } from '../../components/Page.tsx';
import { SaveActions } from '../../components/SaveActions.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useWorkspace } from '../../queries.ts';
import { session } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { useComposer } from '../frame/composer.ts';
import { AgentBadges } from './AgentCard.tsx';
import { AgentForm } from './AgentForm.tsx';
import { AgentMenu } from './AgentMenu.tsx';
import { Conflict, Note, Refusal } from './FormNotes.tsx';
import { Leaving } from './Leaving.tsx';
import { errorsOf, isConflict, useDraft, useSave } from './saving.ts';

const CRUMBS = [{ to: '/agents', name: 'Agents' }];

/** One agent, to look at and to change. */
export default function AgentPage() {
  const { id = '' } = useParams();
  const agent = useQuery({ queryKey: ['agent', id], queryFn: () => agentsApi.agent(id) });
  if (agent.data) return <Loaded key={id} agent={agent.data} />;
  return (
    <Opening
      noun="agent"
      icon={Bot}
      all={{ to: '/agents', title: 'Agents', nouns: 'agents' }}
      why="It may have been deleted, or it is not shared with you."
      error={agent.error}
    />
  );
}

/** Notebooks and rights are those of the agent's workspace; who goes to another one has left the agent. */
function useWorkspaceOf({ workspace_id }: Agent): void {
  const navigate = useNavigate();
  const chosen = useWorkspace()?.id;
  const isThere = useRef(false);
  useEffect(() => {
    if (chosen === workspace_id) isThere.current = true;
    else if (chosen !== undefined && isThere.current) navigate('/agents');
    else if (chosen !== undefined) session.chooseWorkspace(workspace_id);
  }, [chosen, workspace_id, navigate]);
}

function Loaded({ agent }: { agent: Agent }) {
  const compose = useComposer();
  const role = useWorkspace()?.role;
  useWorkspaceOf(agent);
  const drafting = useDraft(draftOf(agent));
  const { version, save, reload } = useSave(agent, drafting);
  const errors = useMemo(() => errorsOf(save.error), [save.error]);
  const readOnly = whyReadOnly(agent, role);
  const { isChanged } = drafting;
  const unsaved = useUnsaved(isChanged);
  const submit = (): void => {
    if (readOnly === null && isChanged && !save.isPending) save.mutate('checked');
  };
  const discard = (): void => {
    const { draft, base } = drafting;
    drafting.restart(base);
    save.reset();
    toast('Changes discarded', 'done', { name: 'Undo', run: () => drafting.change(draft) });
  };
  useShortcuts({ 'mod+s': submit });
  return (
    <Page
      title={agent.name}
      crumbs={CRUMBS}
      aside={
        <div className="flex shrink-0 items-center gap-2 max-sm:w-full">
          <span className="text-faint">v{version}</span>
          <AgentBadges agent={agent} />
        </div>
      }
      action={
        <SaveActions
          isChanged={isChanged}
          mayChange={readOnly === null}
          busy={save.isPending}
          onDiscard={discard}
          onSave={submit}
        >
          <AgentMenu agent={agent} isOpened />
          <Button disabled={!agent.is_active} onClick={() => compose({ agent_id: agent.id })}>
            <Play aria-hidden size={13} /> Run
          </Button>
        </SaveActions>
      }
    >
      <Leaving unsaved={unsaved} />
      <AgentForm
        drafting={drafting}
        agentId={agent.id}
        version={version}
        errors={errors}
        disabled={readOnly !== null}
        onSubmit={submit}
        notes={
          <>
            {readOnly && (
              <Note icon={CircleAlert} title="You can look at it, not change it">
                {readOnly}
              </Note>
            )}
            {isConflict(save.error) ? (
              <Conflict
                busy={save.isPending || reload.isPending}
                onReload={() => reload.mutate()}
                onOverwrite={() => save.mutate('over')}
              />
            ) : (
              save.error && <Refusal title="It was not saved" error={save.error} fields={errors} />
            )}
          </>
        }
      />
    </Page>
  );
}
