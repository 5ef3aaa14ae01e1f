import type { ConfirmationPolicy } from './agent.ts';
import type { RunState } from './run-state.ts';
import type { ToolTraits } from './tool.ts';
import { policyNames } from './tool-domains.ts';

export interface ConfirmationRules {
  policy: ConfirmationPolicy;
  notebook_kind: 'folder' | 'git' | null;
}

/** Tools that a person has allowed at least once in the conversation. */
export const confirmedTools = (state: RunState): string[] => {
  const calls = state.turns.flatMap((turn) => turn.calls);
  const confirmed = calls.flatMap(({ action, decision }) => (action && decision?.confirmed ? [action.tool] : []));
  return [...new Set([...state.confirmed_tools, ...confirmed])];
};

const policyFor = (policy: ConfirmationPolicy, tool: string): ConfirmationPolicy[string] | undefined =>
  policyNames(tool)
    .map((name) => policy[name])
    .find((rule) => rule !== undefined);

/** Where the agent's maker wants a person asked each time, nobody can allow it for longer than once. */
export const asksAlways = (policy: ConfirmationPolicy, tool: string): boolean => policyFor(policy, tool) === 'always';

/**
 * Changes of a folder and beyond any notebook wait for a person; what happens in a checkout of its own need not. What was allowed for the
 * session waits no more. A policy overrides all of it.
 */
export function needsConfirmation(tool: ToolTraits, state: RunState, rules: ConfirmationRules): boolean {
  const policy = policyFor(rules.policy, tool.name);
  if (policy === 'always') return true;
  if (policy === 'never' || state.allowed_tools.includes(tool.name)) return false;
  if (policy === 'first_time') return !confirmedTools(state).includes(tool.name);
  return tool.effect && (rules.notebook_kind !== 'git' || tool.outside === true);
}
