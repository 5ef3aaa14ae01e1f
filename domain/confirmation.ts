import type { ConfirmationPolicy } from './agent.ts';
import type { RunState } from './run-state.ts';
import type { ToolTraits } from './tool.ts';

export interface ConfirmationRules {
  policy: ConfirmationPolicy;
  notebook_kind: 'folder' | 'git' | null;
}

const allowedBefore = (state: RunState, tool: string): boolean =>
  state.turns.some((turn) =>
    turn.calls.some((call) => call.action?.tool === tool && call.decision?.confirmed === true),
  );

/** Changes of a folder wait for a person; what happens in a checkout of its own need not. A policy overrides both. */
export function needsConfirmation(tool: ToolTraits, state: RunState, rules: ConfirmationRules): boolean {
  const policy = rules.policy[tool.name];
  if (policy === 'always') return true;
  if (policy === 'never') return false;
  if (policy === 'first_time') return !allowedBefore(state, tool.name);
  return tool.effect && rules.notebook_kind !== 'git';
}
