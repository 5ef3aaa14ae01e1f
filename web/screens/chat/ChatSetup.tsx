import { MessagesSquare, Signpost } from 'lucide-react';
import type { Ref } from 'react';
import { Link } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import type { Notebook } from '../../../domain/workspace.ts';
import { rightsInWords } from '../../agent-words.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Select } from '../../components/Fields.tsx';
import { ModelName } from '../../components/ModelName.tsx';

/** In the place of an agent: whoever fits what is asked. */
export const WHOEVER_FITS = '*';
export const NO_NOTEBOOK = '-';

interface Props {
  agents: Agent[];
  /** Undefined where it is left open. */
  agent: Agent | undefined;
  isOpen: boolean;
  notebooks: Notebook[];
  notebook: Notebook | undefined;
  agentField: Ref<HTMLSelectElement>;
  onAgent: (id: string) => void;
  onNotebook: (id: string) => void;
}

/** Whom to talk to, and where. */
export function ChatSetup({ agents, agent, isOpen, notebooks, notebook, agentField, onAgent, onNotebook }: Props) {
  return (
    <>
      {isOpen ? (
        <EmptyState icon={Signpost} title="Ask, and Longhaul chooses who does it">
          It looks for the agent or the tool that fits. Where that is clear it goes on at once and says why; where it is
          not, it asks you which one. Before anything is changed you are shown the change.
        </EmptyState>
      ) : (
        <EmptyState icon={MessagesSquare} title={agent ? `Talk to ${agent.name}` : 'A new chat'}>
          Ask, and it looks things up in the notebook. Before it changes anything it shows you the change and waits for
          your word. You can leave at any time: it goes on, and everything is here when you come back.
        </EmptyState>
      )}
      {!agent && !isOpen && <div aria-hidden className="h-36.5 max-sm:h-56" />}
      {(agent || isOpen) && (
        <div className="mx-auto flex max-w-xl flex-col gap-3 px-6 pb-8">
          <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
            <Select
              ref={agentField}
              label="Agent"
              value={agent?.id ?? WHOEVER_FITS}
              onChange={(event) => onAgent(event.target.value)}
            >
              <option value={WHOEVER_FITS}>Let Longhaul choose</option>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
            <Select
              label="Notebook"
              value={notebook?.id ?? NO_NOTEBOOK}
              onChange={(event) => onNotebook(event.target.value)}
            >
              <option value={NO_NOTEBOOK}>No notebook</option>
              {notebooks.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
          {agent ? (
            <>
              <p className="text-small text-soft">{rightsInWords(agent).join(' ')}</p>
              <p className="text-small text-faint">
                <ModelName model={agent.model} />
              </p>
            </>
          ) : (
            <p className="text-small text-soft">
              It chooses among the tools and agents that you can use and have not switched off.{' '}
              <Link to="/settings#dispatcher" className="rounded text-accent-ink hover:underline">
                Change which ones
              </Link>
            </p>
          )}
        </div>
      )}
    </>
  );
}
