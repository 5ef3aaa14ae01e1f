/** Null stands for all, also those that come later. */
export type Enabled = readonly string[] | null;

/** Offered to models alone: the dispatcher hands nothing to them (domain/dispatch-candidates.ts). */
const FOR_MODELS = new Set(['clarify_user', 'read_result', 'propose_edits', 'execute_workflow']);

/** Nothing is handed to it, and nobody talks to it: it is what hands on. */
export const isDispatcher = ({ slug, is_builtin }: { slug: string; is_builtin: boolean }): boolean =>
  is_builtin && slug === 'dispatcher';

interface Named {
  name: string;
  is_builtin: boolean;
}

/** Of all tools those that a request can be handed to; by name, which is how they are switched on and off. */
export function dispatchable<T extends Named>(tools: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const tool of tools) {
    if (tool.is_builtin && FOR_MODELS.has(tool.name)) continue;
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

export const isOn = (enabled: Enabled, ref: string): boolean => enabled === null || enabled.includes(ref);

/** What is listed and not in sight stays as it is: it may be of a place one does not see now. */
export function switched(enabled: Enabled, all: readonly string[], ref: string, on: boolean): string[] {
  const now = enabled ?? all;
  const others = now.filter((each) => each !== ref);
  return on ? [...others, ref] : others;
}

/** How many of those in sight are on, in words. */
export function howMany(enabled: Enabled, all: readonly string[]): string {
  if (enabled === null) return `All ${all.length}`;
  const on = all.filter((ref) => enabled.includes(ref)).length;
  if (on === 0) return 'None';
  return `${on} of ${all.length}`;
}
