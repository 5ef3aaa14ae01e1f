import type { CreateAgent, Scope } from './agent.ts';
import { Failure, type FailureCode, isFailure } from './failures.ts';
import { modeProblem } from './hybrid.ts';
import { parseModel, providerNamed, providerOf } from './model.ts';
import { modelsOf, modePolicyOf } from './model-choice.ts';
import { argumentCheck } from './output-schema.ts';
import { demandPrice } from './prices.ts';
import { isSystemTool, SYSTEM_TOOLS } from './system-tools.ts';

type Definition = Omit<CreateAgent, 'workspace_id' | 'slug'>;

const refuse = (field: string, said: string, code: FailureCode = 'invalid_request', details = {}): never => {
  throw new Failure(code, `${field}: ${said}`, { in: 'body', fields: { [field]: said }, ...details });
};

/** Says of which field a check speaks that knows none. */
function about(field: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!isFailure(error)) throw error;
    refuse(field, error.message, error.code, error.details);
  }
}

function demandModels(agent: Definition): void {
  for (const field of ['model', 'local_model', 'remote_model'] as const) {
    const model = agent[field];
    if (model !== null) about(field, () => parseModel(model));
  }
  const named = providerOf(agent.model);
  if (agent.provider !== undefined && providerNamed(agent.provider) !== named) {
    refuse('provider', `the model ${agent.model} is one of ${named}; write ${agent.provider}/<model> for another.`);
  }
  const problem = modeProblem(modePolicyOf(agent));
  if (problem) refuse('agent_mode', problem);
  if (agent.max_cost_usd !== null) about('max_cost_usd', () => modelsOf(agent).forEach(demandPrice));
}

function demandDelegates({ delegated_agents }: Definition): void {
  for (const [n, { agent_id, input_schema = null, output_schema = null }] of delegated_agents.entries()) {
    about(`delegated_agents.${n}.input_schema`, () => argumentCheck(input_schema));
    about(`delegated_agents.${n}.output_schema`, () => argumentCheck(output_schema));
    if (delegated_agents.findIndex((other) => other.agent_id === agent_id) < n) {
      refuse(`delegated_agents.${n}.agent_id`, `${agent_id} is listed twice.`);
    }
  }
}

/** Paths are refused that lead out of a notebook, so a rule that does could never allow anything. */
function demandFolders(field: string, { folders = [] }: Scope): void {
  for (const [n, pattern] of folders.entries()) {
    if (pattern.includes('\0') || pattern.split('/').some((part) => part === '..' || part === '.')) {
      refuse(`${field}.folders.${n}`, 'a folder begins at the root of the notebook and stays in it.');
    }
  }
}

/** What could only fail once it runs is refused when it is saved, with the field named. */
export function demandSound(agent: Definition): void {
  demandModels(agent);
  demandDelegates(agent);
  demandFolders('scope', agent.scope);
  if (agent.grants) demandFolders('grants.scope', agent.grants.scope);
  const unknown = agent.system_tools?.findIndex((name) => !isSystemTool(name)) ?? -1;
  if (unknown >= 0) refuse(`system_tools.${unknown}`, `there are ${SYSTEM_TOOLS.join(', ')}.`);
}
