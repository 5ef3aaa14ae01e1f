import { MessagesSquare } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { ContextRow } from '../../../domain/session.ts';
import { rightsInWords } from '../../agent-words.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { newKey } from '../../http.ts';
import { useAgents, useNotebooks } from '../../queries.ts';
import { stored } from '../../stored.ts';
import { notebookFor } from '../frame/Composer.tsx';
import { ChatComposer } from './ChatComposer.tsx';
import { useStartChat } from './start-chat.ts';

/** With whom, and where, one talked last. */
const lastAgent = stored('longhaul.chat.agent');
const lastNotebook = stored('longhaul.chat.notebook');

const NO_NOTEBOOK = '-';

/** Whom to talk to, where, and the first thing to say. */
export function NewChat() {
  const { data: agents, error } = useAgents();
  const { data: known } = useNotebooks();
  const [search] = useSearchParams();
  const [rows, setRows] = useState<ContextRow[]>([]);
  const last = useRef({ asked: '', key: '' });
  const start = useStartChat();
  const keptAgent = lastAgent.use();
  const keptNotebook = lastNotebook.use();

  const active = agents?.filter((agent) => agent.is_active) ?? [];
  const wanted = search.get('agent') ?? keptAgent;
  const agent = active.find(({ id }) => id === wanted) ?? active[0];
  const notebooks = known ?? [];
  const notebook =
    keptNotebook === NO_NOTEBOOK
      ? undefined
      : (notebooks.find(({ id }) => id === keptNotebook) ?? notebookFor(agent, notebooks));

  const send = (content: string, onRefused: () => void): void => {
    if (!agent) return;
    const asked = { agent_id: agent.id, notebook_id: notebook?.id, context_rows: notebook ? rows : [], content };
    // Sent again after a failure it is the same conversation to the server, which may have begun it.
    if (last.current.asked !== JSON.stringify(asked)) last.current = { asked: JSON.stringify(asked), key: newKey() };
    start.mutate({ ...asked, key: last.current.key }, { onError: onRefused });
  };

  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
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
            <EmptyState icon={MessagesSquare} title={agent ? `Talk to ${agent.name}` : 'A new chat'}>
              Ask, and it looks things up in the notebook. Before it changes anything it shows you the change and waits
              for your word. You can leave at any time: it goes on, and everything is here when you come back.
            </EmptyState>
          )}
          {agent && (
            <div className="mx-auto flex max-w-xl flex-col gap-3 px-6 pb-8">
              <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
                <Select label="Agent" value={agent.id} onChange={(event) => lastAgent.set(event.target.value)}>
                  {active.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </Select>
                <Select
                  label="Notebook"
                  value={notebook?.id ?? NO_NOTEBOOK}
                  onChange={(event) => lastNotebook.set(event.target.value)}
                >
                  <option value={NO_NOTEBOOK}>No notebook</option>
                  {notebooks.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </Select>
              </div>
              <p className="text-small text-soft">{rightsInWords(agent).join(' ')}</p>
              <p className="text-small text-faint">
                <ModelName model={agent.model} />
              </p>
            </div>
          )}
          {error && !agents && (
            <div className="p-6">
              <ErrorNote title="The agents could not be read" error={error} />
            </div>
          )}
        </div>
      </div>
      <ChatComposer
        name="new"
        agent={agent}
        notebookId={notebook?.id ?? null}
        rows={notebook ? rows : []}
        onRows={setRows}
        status="pending"
        isReady={agent !== undefined && known !== undefined}
        isSending={start.isPending}
        onSend={send}
        onStop={() => undefined}
        isStopping={false}
        hint={null}
      >
        {start.error && <ErrorNote title="The chat was not begun" error={start.error} />}
      </ChatComposer>
    </>
  );
}
