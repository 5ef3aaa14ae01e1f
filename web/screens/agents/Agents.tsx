import { Bot, Lock, Play } from 'lucide-react';
import type { Agent } from '../../../domain/agent.ts';
import { rightsInWords } from '../../agent-words.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { count, money } from '../../format.ts';
import { useAgents } from '../../queries.ts';
import { useComposer } from '../frame/composer.ts';

export function Agents() {
  const agents = useAgents();
  return (
    <Page title="Agents">
      {agents.error && !agents.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The agents could not be read" error={agents.error} />
        </div>
      ) : agents.data?.length === 0 ? (
        <EmptyState icon={Bot} title="No agents in this workspace">
          An agent is a model with rules: which files it may read and change, what it must ask first, and how much it
          may spend. Make one with <code className="font-mono text-small">POST /api/v1/agents</code>.
        </EmptyState>
      ) : (
        <ul
          aria-busy={agents.isPending}
          className="mx-auto grid max-w-5xl grid-cols-2 gap-4 p-6 max-lg:grid-cols-1 max-sm:p-4"
        >
          {agents.data
            ? agents.data.map((agent) => <AgentCard key={agent.id} agent={agent} />)
            : [0, 1].map((each) => <Waiting key={each} />)}
        </ul>
      )}
    </Page>
  );
}

function AgentCard({ agent }: { agent: Agent }) {
  const compose = useComposer();
  const { data: agents = [] } = useAgents();
  const delegates = agent.delegated_agents.map(
    ({ agent_id }) => agents.find(({ id }) => id === agent_id)?.name ?? 'an agent you may not see',
  );
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate font-semibold" title={agent.name}>
            {agent.name} <span className="font-normal text-faint">v{agent.version}</span>
          </h2>
          <Copyable text={agent.slug} label="agent slug" />
        </div>
        <Button
          aria-label={`New run with ${agent.name}`}
          disabled={!agent.is_active}
          onClick={() => compose({ agent_id: agent.id })}
        >
          <Play aria-hidden size={13} /> Run
        </Button>
      </div>
      {agent.description && <p className="line-clamp-3 text-soft">{agent.description}</p>}
      <ul className="flex flex-col gap-0.5">
        {rightsInWords(agent).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {delegates.length > 0 && <li>Hands work to {delegates.join(', ')}.</li>}
      </ul>
      <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-3 text-small text-soft">
        <ModelName model={agent.model} />
        <span>
          at most {count(agent.max_iterations)} turns · {count(agent.max_token_budget)} tokens
          {agent.max_cost_usd !== null && ` · ${money(agent.max_cost_usd)}`}
        </span>
        {agent.is_builtin && <span>built in</span>}
        {!agent.is_active && <span className="text-waits">not active</span>}
        {agent.visibility === 'personal' && !agent.is_builtin && (
          <span className="inline-flex items-center gap-1">
            <Lock aria-hidden size={12} /> personal
          </span>
        )}
      </div>
    </li>
  );
}

function Waiting() {
  return (
    <li className="flex h-44 flex-col gap-4 rounded-lg border border-line p-4">
      <Skeleton className="w-1/3" />
      <Skeleton className="w-3/4" />
      <Skeleton className="w-2/3" />
      <Skeleton className="mt-auto w-1/2" />
    </li>
  );
}
