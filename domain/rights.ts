import type { Agent, Operation, Scope } from './agent.ts';
import { ALL_SOURCES, commonSources } from './knowledge.ts';
import { CAPABILITY, mayHold, type ScopeVerdict, scopeVerdict } from './scope.ts';

const FLAGS = [
  'can_read',
  'can_write',
  'can_create',
  'can_delete',
  'can_execute_code',
  'can_access_integrations',
  'command_network',
] as const;
type Flag = (typeof FLAGS)[number];
type Flags = Record<Flag, boolean>;

/** What a run may not exceed, whatever its agent may: the caller's role, and what everybody above it passed down. */
export interface Bound {
  flags: Flags;
  /** All of them must allow. */
  scopes: Scope[];
  /** The documents it may search at most. */
  knowledge_sources: string[];
}

const flagsWhere = (allowed: (flag: Flag) => boolean): Flags => ({
  can_read: allowed('can_read'),
  can_write: allowed('can_write'),
  can_create: allowed('can_create'),
  can_delete: allowed('can_delete'),
  can_execute_code: allowed('can_execute_code'),
  can_access_integrations: allowed('can_access_integrations'),
  // Bounds stored before it was known do not have it.
  command_network: allowed('command_network') === true,
});

/** Who only reads starts runs that only read. */
export const boundOfCaller = (mayWrite: boolean): Bound => ({
  flags: flagsWhere((flag) => mayWrite || flag === 'can_read'),
  scopes: [],
  knowledge_sources: [ALL_SOURCES],
});

/** The agent as it may act within a bound: never more than either. */
export const within = (agent: Agent, { flags, knowledge_sources }: Bound): Agent => ({
  ...agent,
  ...flagsWhere((flag) => agent[flag] && flags[flag]),
  knowledge_sources: commonSources(agent.knowledge_sources, knowledge_sources),
});

/** Neither of the two may be exceeded. */
export const narrowed = (a: Bound, b: Bound): Bound => ({
  flags: flagsWhere((flag) => a.flags[flag] && b.flags[flag]),
  scopes: [...a.scopes, ...b.scopes],
  knowledge_sources: commonSources(a.knowledge_sources, b.knowledge_sources),
});

/** What a run passes down: its definition's grants, or else its own rights, and never more than it was passed. */
export function boundBelow(definition: Agent, bound: Bound): Bound {
  const given = definition.grants ?? definition;
  return {
    flags: flagsWhere((flag) => given[flag] && bound.flags[flag]),
    scopes: [...bound.scopes, given.scope],
    knowledge_sources: commonSources(given.knowledge_sources, bound.knowledge_sources),
  };
}

/** Rights that name a notebook, for the copy of its files that a fork works on instead. */
export interface Copy {
  of: string[];
  id: string;
}

const scopeOnCopy = (scope: Scope, { of, id }: Copy): Scope =>
  scope.notebooks ? { ...scope, notebooks: scope.notebooks.map((each) => (of.includes(each) ? id : each)) } : scope;

export const agentOnCopy = (agent: Agent, copy: Copy): Agent => ({
  ...agent,
  scope: scopeOnCopy(agent.scope, copy),
  grants: agent.grants && { ...agent.grants, scope: scopeOnCopy(agent.grants.scope, copy) },
});

export const boundOnCopy = (bound: Bound, copy: Copy): Bound => ({
  ...bound,
  scopes: bound.scopes.map((scope) => scopeOnCopy(scope, copy)),
});

/** The guard's whole question: the agent's own scope, and every scope above it. */
export function rightsVerdict(
  agent: Agent,
  bound: Bound,
  notebookId: string,
  operation: Operation,
  path: string | null,
): ScopeVerdict {
  const own = scopeVerdict(agent, notebookId, operation, path);
  if (!own.allowed) return own;
  if (!bound.flags[CAPABILITY[operation]])
    return { allowed: false, rule: `the run above does not pass ${operation} on` };
  for (const scope of bound.scopes) {
    const verdict = scopeVerdict({ ...agent, scope }, notebookId, operation, path);
    if (!verdict.allowed) return { allowed: false, rule: `the run above passes on less: ${verdict.rule}` };
  }
  return own;
}

/** Whether a folder may be listed, name by name: there may be something in it that everybody lets be seen. */
export const mayListFolder = (agent: Agent, bound: Bound, folder: string): boolean =>
  [agent.scope, ...bound.scopes].every((scope) => mayHold(scope, folder));
