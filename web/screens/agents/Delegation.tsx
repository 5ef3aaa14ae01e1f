import { PickList } from '../../components/PickList.tsx';
import { useAgents } from '../../queries.ts';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';
import { Grants } from './Grants.tsx';

export function Delegation() {
  const { draft, change, errorOf, disabled, agentId } = useForm();
  const { data: agents = [] } = useAgents();
  const listed = draft.delegated_agents;
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? 'An agent you may not see';
  return (
    <FormSection
      id="delegation"
      about="Agents it may hand work to. Each does its part in a run of its own below this one, within its own rights and never beyond what is passed down."
    >
      <PickList
        label="agents"
        add="Add an agent"
        disabled={disabled}
        chosen={listed.map(({ agent_id, input_schema, output_schema }) => ({
          id: agent_id,
          name: nameOf(agent_id),
          aside: input_schema || output_schema ? 'with schemas' : null,
        }))}
        others={agents.filter(
          ({ id, is_active }) => is_active && id !== agentId && !listed.some(({ agent_id }) => agent_id === id),
        )}
        onAdd={(agent_id) => change({ delegated_agents: [...listed, { agent_id }] })}
        onRemove={(id) => change({ delegated_agents: listed.filter(({ agent_id }) => agent_id !== id) })}
      />
      {errorOf('delegated_agents') && <p className="text-small text-failed">{errorOf('delegated_agents')}</p>}
      <Grants />
    </FormSection>
  );
}
