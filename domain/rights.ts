import type { Agent, Operation, Scope } from './agent.ts';
import { namesServer } from './mcp.ts';
import { CAPABILITY, mayHold, type ScopeVerdict, scopeVerdict } from './scope.ts';
import { ALL } from './word-lists.ts';

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

/** What is named one by one; "*" for all there is. */
interface Lists {
  knowledge_sources: string[];
  tools: string[];
  mcp_servers: string[];
}

/** What a run may not exceed, whatever its agent may: the caller's role, and what everybody above it passed down. */
export interface Bound extends Lists {
  flags: Flags;
  /** All of them must allow. */
  scopes: Scope[];
}

const isSame = (entry: string, by: string): boolean => entry === by;

function common(a: string[], b: string[], isCovered = isSame): string[] {
  if (a.includes(ALL)) return [...b];
  if (b.includes(ALL)) return [...a];
  const inBoth = (these: string[], those: string[]) =>
    these.filter((entry) => those.some((by) => isCovered(entry, by)));
  return [...new Set([...inBoth(a, b), ...inBoth(b, a)])];
}

/** Of MCP servers one may name all of a server, and another a single tool of it. */
const commonLists = (a: Lists, b: Lists): Lists => ({
  knowledge_sources: common(a.knowledge_sources, b.knowledge_sources),
  tools: common(a.tools, b.tools),
  mcp_servers: common(a.mcp_servers, b.mcp_servers, namesServer),
});

export const isPassed = ({ tools }: Pick<Lists, 'tools'>, tool: string): boolean =>
  tools.includes(ALL) || tools.includes(tool);

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
  ...{ knowledge_sources: [ALL], tools: [ALL], mcp_servers: [ALL] },
});

/** The agent as it may act within a bound: never more than either. */
export const within = (agent: Agent, bound: Bound): Agent => ({
  ...agent,
  ...flagsWhere((flag) => agent[flag] && bound.flags[flag]),
  // In an agent "*" is no server.
  ...commonLists({ ...agent, mcp_servers: agent.mcp_servers.filter((entry) => entry !== ALL) }, bound),
});

/** Neither of the two may be exceeded. */
export const narrowed = (a: Bound, b: Bound): Bound => ({
  flags: flagsWhere((flag) => a.flags[flag] && b.flags[flag]),
  scopes: [...a.scopes, ...b.scopes],
  ...commonLists(a, b),
});

/** Whoever only hands work on needs no tools for it: the right to integrations is what is passed on of those. */
const ownRights = (definition: Agent) => ({ ...definition, tools: [ALL], mcp_servers: [ALL] });

/** What a run passes down: its definition's grants, or else its own rights, and never more than it was passed. */
export function boundBelow(definition: Agent, bound: Bound): Bound {
  const given = definition.grants ?? ownRights(definition);
  return {
    flags: flagsWhere((flag) => given[flag] && bound.flags[flag]),
    scopes: [...bound.scopes, given.scope],
    ...commonLists(given, bound),
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
