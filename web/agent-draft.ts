import type { Agent } from '../domain/agent.ts';
import { AGENT_DEFAULTS } from '../domain/agent-defaults.ts';
import { isRecord, isSameValue } from '../domain/json-value.ts';

/** What the form of an agent changes. What is not in it stays as the server has it. */
export type AgentDraft = Omit<
  Agent,
  | 'id'
  | 'workspace_id'
  | 'is_active'
  | 'is_builtin'
  | 'version'
  | 'created_by'
  | 'created_at'
  | 'updated_at'
  | 'provider'
  | 'max_iterations_set'
  | 'max_iterations'
> & {
  /** Null where it is what all agents have. */
  max_iterations: number | null;
};

/** An agent nobody has said anything about yet, as the server would complete it. */
export const BLANK: AgentDraft = {
  ...AGENT_DEFAULTS,
  max_iterations: null,
  name: '',
  slug: '',
  model: '',
  examples: [],
  scope: {},
  delegated_agents: [],
  knowledge_sources: [],
  confirmation: {},
  roles: [],
  tools: [],
  mcp_servers: [],
};

type Field = keyof AgentDraft;
const FIELDS = Object.keys(BLANK) as Field[];

/** Of an agent, a template or a file: what the form knows of it, completed. */
export const draftOf = (given: Partial<Agent> | Partial<AgentDraft>): AgentDraft => ({
  ...BLANK,
  ...Object.fromEntries(Object.entries(given).filter(([name, value]) => name in BLANK && value !== undefined)),
  ...('max_iterations_set' in given && !given.max_iterations_set ? { max_iterations: null } : {}),
});

/** Another agent like this one: its name and slug are its own, and it begins with nobody but its maker. */
export const copyOf = (agent: Agent): AgentDraft => ({
  ...draftOf(agent),
  name: `Copy of ${agent.name}`.slice(0, 100),
  slug: '',
  visibility: 'personal',
});

/** Only what differs is sent, so that two people who change different fields do not undo each other. */
export const changesOf = (before: AgentDraft, after: AgentDraft): Partial<AgentDraft> =>
  Object.fromEntries(
    FIELDS.filter((name) => !isSameValue(before[name], after[name])).map((name) => [name, after[name]]),
  );

export const hasChanges = (before: AgentDraft, after: AgentDraft): boolean =>
  FIELDS.some((name) => !isSameValue(before[name], after[name]));

/** What the details of a refusal say of single fields: `{"scope.folders.1": "…"}`. */
export function fieldErrors({ fields }: Record<string, unknown>): Record<string, string> {
  if (!isRecord(fields)) return {};
  return Object.fromEntries(Object.entries(fields).map(([name, said]) => [name, String(said)]));
}

/** What is said of a field, or of anything in it. */
export const errorIn = (errors: Readonly<Record<string, string>>, name: string): string | undefined =>
  errors[name] ?? Object.entries(errors).find(([field]) => field.startsWith(`${name}.`))?.[1];
