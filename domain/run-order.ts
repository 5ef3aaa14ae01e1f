/** What a list of runs can be sorted by, and which way: names from A on, figures from the greatest on. */
export const ORDERS = {
  newest: ['created_at', -1],
  oldest: ['created_at', 1],
  longest: ['duration_ms', -1],
  shortest: ['duration_ms', 1],
  costliest: ['cost_usd', -1],
  cheapest: ['cost_usd', 1],
  most_tokens: ['tokens_used', -1],
  fewest_tokens: ['tokens_used', 1],
  most_iterations: ['iterations_used', -1],
  fewest_iterations: ['iterations_used', 1],
  agent: ['agent_name', 1],
  agent_desc: ['agent_name', -1],
  trigger: ['trigger_type', 1],
  trigger_desc: ['trigger_type', -1],
  caller: ['caller_name', 1],
  caller_desc: ['caller_name', -1],
  status: ['status', 1],
  status_desc: ['status', -1],
} as const;
export type RunOrder = keyof typeof ORDERS;

const isOrder = (name: string): name is RunOrder => name in ORDERS;
export const RUN_ORDERS = Object.keys(ORDERS).filter(isOrder);

export const isAscending = (order: RunOrder): boolean => ORDERS[order][1] === 1;
