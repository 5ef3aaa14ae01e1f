import type { FlowStep } from './workflow-definition.ts';

/** What each step of a list comes after: what it says, or else the one written before it. */
export function dependenciesOf(steps: readonly FlowStep[]): Map<string, string[]> {
  const entries = steps.map((step, n): [string, string[]] => {
    const before = steps[n - 1];
    return [step.id, step.depends_on ?? (before ? [before.id] : [])];
  });
  return new Map(entries);
}

/** In an order in which each comes after what it depends on, as written where that leaves a choice; and those in a circle. */
export function orderOf(steps: readonly FlowStep[]): { ordered: string[]; circular: string[] } {
  const dependencies = dependenciesOf(steps);
  const ordered: string[] = [];
  const placed = new Set<string>();
  let waiting = steps.map(({ id }) => id);
  for (;;) {
    // One that there is none of is told elsewhere, and holds nobody up here.
    const isFree = (id: string) =>
      (dependencies.get(id) ?? []).every((other) => placed.has(other) || !dependencies.has(other));
    const free = waiting.find(isFree);
    if (free === undefined) return { ordered, circular: waiting };
    placed.add(free);
    ordered.push(free);
    waiting = waiting.filter((id) => id !== free);
  }
}

/** Everything a step comes after, also through others. */
export function comesAfter(steps: readonly FlowStep[], id: string): Set<string> {
  const dependencies = dependenciesOf(steps);
  const found = new Set<string>();
  const look = [...(dependencies.get(id) ?? [])];
  for (let next = look.pop(); next !== undefined; next = look.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    look.push(...(dependencies.get(next) ?? []));
  }
  return found;
}
