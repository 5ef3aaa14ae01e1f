import { CircleOff, Globe, Lock, Package, Play, Users } from 'lucide-react';
import { Link } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import { rightsInWords } from '../../agent-words.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { count, money } from '../../format.ts';
import { useAgents } from '../../queries.ts';
import { useComposer } from '../frame/composer.ts';
import { AgentMenu } from './AgentMenu.tsx';

export function AgentCard({ agent }: { agent: Agent }) {
  const compose = useComposer();
  const { data: agents = [] } = useAgents();
  const delegates = agent.delegated_agents.map(
    ({ agent_id }) => agents.find(({ id }) => id === agent_id)?.name ?? 'an agent you may not see',
  );
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="flex min-w-0 flex-col items-start gap-1.5">
          <h2 className="flex max-w-full min-w-0 items-center gap-1.5 font-semibold">
            <Link
              to={`/agents/${encodeURIComponent(agent.id)}`}
              title={agent.name}
              className="truncate rounded py-0.5 hover:underline"
            >
              {agent.name}
            </Link>
            <span className="font-normal text-faint">v{agent.version}</span>
          </h2>
          <div className="flex max-w-full min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <Copyable text={agent.slug} label="agent slug" />
            <AgentBadges agent={agent} />
          </div>
        </div>
        <div className="flex shrink-0 items-center gap-1">
          <Button
            aria-label={`New run with ${agent.name}`}
            disabled={!agent.is_active}
            onClick={() => compose({ agent_id: agent.id })}
          >
            <Play aria-hidden size={13} /> Run
          </Button>
          <AgentMenu agent={agent} />
        </div>
      </div>
      {agent.description && <p className="line-clamp-3 break-words text-soft">{agent.description}</p>}
      <ul className="flex flex-col gap-0.5">
        {rightsInWords(agent).map((sentence) => (
          <li key={sentence} className="line-clamp-3 break-words">
            {sentence}
          </li>
        ))}
        {delegates.length > 0 && <li className="line-clamp-2 break-words">Hands work to {delegates.join(', ')}.</li>}
      </ul>
      <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-3 text-small text-soft">
        <ModelName model={agent.model} />
        <span>
          at most {count(agent.max_iterations)} turns · {count(agent.max_token_budget)} tokens
          {agent.max_cost_usd !== null && ` · ${money(agent.max_cost_usd)}`}
        </span>
      </div>
    </li>
  );
}

const ROLE_WORDS = { read: 'readers', write: 'writers', admin: 'admins' };

/** Whose it is, who may use it, and whether it can be used at all. */
export function AgentBadges({ agent }: { agent: Agent }) {
  const roles = (agent.roles ?? []).map((role) => ROLE_WORDS[role]);
  return (
    <p className="flex flex-wrap gap-1.5">
      {!agent.is_active && <Badge icon={CircleOff} word="inactive" title="Starts no runs until activated" warns />}
      {agent.is_builtin ? (
        <Badge icon={Package} word="built in" title="Comes with Longhaul" />
      ) : agent.visibility === 'personal' ? (
        <Badge icon={Lock} word="personal" title="Only its maker sees it" />
      ) : (
        <Badge icon={Globe} word="shared" title="For the members of the workspace" />
      )}
      {agent.access_level === 'role_based' && (
        <Badge
          icon={Users}
          word={roles.length > 0 ? `for ${roles.join(', ')}` : 'for admins'}
          title="Only members with one of these roles, its maker and admins see and start it"
        />
      )}
    </p>
  );
}

export function CardSkeleton() {
  return (
    <li className="flex h-44 flex-col gap-4 rounded-lg border border-line p-4">
      <Skeleton className="w-1/3" />
      <Skeleton className="w-3/4" />
      <Skeleton className="w-2/3" />
      <Skeleton className="mt-auto w-1/2" />
    </li>
  );
}
