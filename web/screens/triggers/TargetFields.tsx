import { useQuery } from '@tanstack/react-query';
import { TIERS, type Tier, tierSchema } from '../../../domain/trigger.ts';
import { Select } from '../../components/Fields.tsx';
import { short } from '../../format.ts';
import { useAgents, useNotebooks, useWorkspace } from '../../queries.ts';
import { triggersApi } from '../../triggers-api.ts';
import { notebookFor } from '../frame/composer.ts';

export interface TargetDraft {
  /** `agent:<id>` or `workflow:<id>`; empty until one is chosen. */
  target: string;
  notebook_id: string;
  tier: Tier;
}

export const draftOfTarget = (of: {
  agent_id: string | null;
  workflow_id: string | null;
  notebook_id: string | null;
  tier: Tier;
}): TargetDraft => ({
  target: of.agent_id ? `agent:${of.agent_id}` : `workflow:${of.workflow_id}`,
  notebook_id: of.notebook_id ?? '',
  tier: of.tier,
});

export const NO_TARGET: TargetDraft = { target: '', notebook_id: '', tier: 'standard' };

/** As the API takes it. */
export function targetOf({ target, notebook_id, tier }: TargetDraft) {
  const [kind, id = null] = target.split(':');
  return {
    agent_id: kind === 'agent' ? id : null,
    workflow_id: kind === 'workflow' ? id : null,
    notebook_id: notebook_id || null,
    tier,
  };
}

function tierWords(tier: Tier): string {
  const { max_iterations, max_token_budget, max_duration } = TIERS[tier];
  if (max_iterations === undefined) return 'what it allows itself';
  const minutes = (max_duration ?? 0) / 60;
  const time = minutes >= 60 ? `${minutes / 60} h` : `${minutes} min`;
  return `${max_iterations} model calls, ${short(max_token_budget ?? 0)} tokens, ${time}`;
}

interface Props {
  draft: TargetDraft;
  errors: Record<string, string>;
  onChange: (part: Partial<TargetDraft>) => void;
}

/** What runs, where, and how much it may use. */
export function TargetFields({ draft, errors, onChange }: Props) {
  const workspace = useWorkspace();
  const { data: agents = [] } = useAgents();
  const { data: notebooks = [] } = useNotebooks();
  const { data: workflows = [] } = useQuery({
    queryKey: ['workflow-names', workspace?.id],
    queryFn: () => triggersApi.workflows(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  const startable = agents.filter(({ is_active }) => is_active);
  return (
    <>
      <Select
        label="Runs"
        required
        value={draft.target}
        error={errors.agent_id ?? errors.workflow_id ?? errors.target_type}
        onChange={(event) => {
          const target = event.target.value;
          const agent = startable.find(({ id }) => target === `agent:${id}`);
          // Where nobody has chosen one, that which the agent works in.
          const notebook = draft.notebook_id || (agent && notebookFor(agent, notebooks)?.id) || '';
          onChange({ target, notebook_id: notebook });
        }}
      >
        <option value="">Choose an agent or a workflow</option>
        <optgroup label="Agents">
          {startable.map(({ id, name }) => (
            <option key={id} value={`agent:${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
        {workflows.length > 0 && (
          <optgroup label="Workflows">
            {workflows.map(({ id, name }) => (
              <option key={id} value={`workflow:${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </Select>
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <Select
          label="Notebook"
          value={draft.notebook_id}
          error={errors.notebook_id}
          onChange={(event) => onChange({ notebook_id: event.target.value })}
        >
          <option value="">No notebook</option>
          {notebooks.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          label="Tier"
          value={draft.tier}
          error={errors.tier}
          hint={`At most ${tierWords(draft.tier)}`}
          onChange={(event) => onChange({ tier: tierSchema.parse(event.target.value) })}
        >
          {tierSchema.options.map((tier) => (
            <option key={tier} value={tier}>
              {tier}
            </option>
          ))}
        </Select>
      </div>
    </>
  );
}
