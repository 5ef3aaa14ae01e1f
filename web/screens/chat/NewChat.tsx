import { MessagesSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { ContextRow } from '../../../domain/session.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { isDispatcher } from '../../enabled-list.ts';
import { newKey } from '../../http.ts';
import { useAgents, useNotebooks, useWorkspace } from '../../queries.ts';
import { stored } from '../../stored.ts';
import { notebookFor } from '../frame/composer.ts';
import { ChatComposer } from './ChatComposer.tsx';
import { ChatSetup, NO_NOTEBOOK, WHOEVER_FITS } from './ChatSetup.tsx';
import { DispatchOutcome } from './DispatchOutcome.tsx';
import { useDispatch } from './dispatch.ts';
import { useStartChat } from './start-chat.ts';

/** With whom, and where, one talked last. */
const lastAgent = stored('longhaul.chat.agent');
const lastNotebook = stored('longhaul.chat.notebook');

const ANYWHERE = { scope: { notebooks: ['*'] } };

/** Whom to talk to, where, and the first thing to say. */
export function NewChat() {
  const { data: agents, error } = useAgents();
  const { data: known } = useNotebooks();
  const workspace = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const [rows, setRows] = useState<ContextRow[]>([]);
  const last = useRef({ asked: '', key: '' });
  const start = useStartChat();
  const dispatch = useDispatch();
  const agentField = useRef<HTMLSelectElement>(null);
  const [isByHand, setByHand] = useState(false);
  const keptAgent = lastAgent.use();
  const keptNotebook = lastNotebook.use();

  const active = agents?.filter((agent) => agent.is_active && !isDispatcher(agent)) ?? [];
  const wanted = search.get('agent') ?? keptAgent;
  const isOpen = wanted === WHOEVER_FITS && active.length > 0;
  const agent = isOpen ? undefined : (active.find(({ id }) => id === wanted) ?? active[0]);
  const notebooks = known ?? [];
  const notebook =
    keptNotebook === NO_NOTEBOOK
      ? undefined
      : (notebooks.find(({ id }) => id === keptNotebook) ?? notebookFor(isOpen ? ANYWHERE : agent, notebooks));

  // Its field is drawn again only once the card has gone.
  useEffect(() => {
    if (isByHand) agentField.current?.focus();
    setByHand(false);
  }, [isByHand]);

  const talkTo = (id: string): void => {
    lastAgent.set(id);
    // What is chosen here goes before what the address says.
    if (search.has('agent')) setSearch({}, { replace: true });
  };
  const send = (content: string, onRefused: () => void): void => {
    const place = { notebook_id: notebook?.id };
    const pinned = notebook ? rows : [];
    if (isOpen && workspace) {
      dispatch.ask({ content, ...place, workspace_id: workspace.id, rows: pinned, giveBack: onRefused });
    }
    if (!agent) return;
    const asked = { agent_id: agent.id, ...place, context_rows: pinned, content };
    // Sent again after a failure it is the same conversation to the server, which may have begun it.
    if (last.current.asked !== JSON.stringify(asked)) last.current = { asked: JSON.stringify(asked), key: newKey() };
    start.mutate({ ...asked, key: last.current.key }, { onError: onRefused });
  };

  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {dispatch.asked ? (
          <DispatchOutcome
            content={dispatch.asked.content}
            shown={dispatch.shown}
            busy={dispatch.isChoosing ? dispatch.chosen : null}
            onChoose={dispatch.choose}
            onEdit={dispatch.takeBack}
            onClose={dispatch.close}
            onByHand={() => {
              dispatch.takeBack();
              talkTo(active[0]?.id ?? '');
              setByHand(true);
            }}
          />
        ) : (
          <div className="my-auto">
            {agents && active.length === 0 ? (
              <EmptyState
                icon={MessagesSquare}
                title="There is nobody to talk to yet"
                action={
                  <Link to="/agents" className="rounded text-accent-ink underline">
                    See the agents
                  </Link>
                }
              >
                A chat is held with an agent. Make one, or activate one, and come back.
              </EmptyState>
            ) : (
              <ChatSetup
                agents={active}
                agent={agent}
                isOpen={isOpen}
                notebooks={notebooks}
                notebook={notebook}
                agentField={agentField}
                onAgent={talkTo}
                onNotebook={lastNotebook.set}
              />
            )}
            {error && !agents && (
              <div className="p-6">
                <ErrorNote title="The agents could not be read" error={error} />
              </div>
            )}
          </div>
        )}
      </div>
      <ChatComposer
        name="new"
        agent={agent}
        notebookId={notebook?.id ?? null}
        rows={notebook ? rows : []}
        onRows={setRows}
        status="pending"
        isReady={(agent !== undefined || isOpen) && known !== undefined}
        isSending={start.isPending || dispatch.isAsking || dispatch.isChoosing}
        onSend={send}
        onStop={() => undefined}
        isStopping={false}
        hint={isOpen ? 'Goes to whoever fits; you are asked where that is not clear.' : null}
        {...(isOpen && { placeholder: 'Ask for anything' })}
      >
        {start.error && <ErrorNote title="The chat was not begun" error={start.error} />}
        {dispatch.error && <ErrorNote title="It was not handed on" error={dispatch.error} />}
      </ChatComposer>
    </>
  );
}
