/** Of the agents that every workspace has. */
export const DISPATCHER_SLUG = 'dispatcher';
export const EDITOR_SLUG = 'editor';

interface Listed {
  slug: string;
  is_active: boolean;
  is_builtin: boolean;
}

/** Where somebody had the slug already, a built-in agent has it with ours before it. */
export const slugIfTaken = (slug: string): string => `longhaul-${slug}`;

const OF_THEIR_OWN = new Set([DISPATCHER_SLUG, EDITOR_SLUG].flatMap((slug) => [slug, slugIfTaken(slug)]));

/** Built in for a purpose of its own: nobody means it who does not say so. */
export const hasOwnPurpose = ({ slug, is_builtin }: Listed): boolean => is_builtin && OF_THEIR_OWN.has(slug);

/** Who is meant where nobody is named: the first that can be started. */
export function usualAgent<T extends Listed>(agents: readonly T[]): T | undefined {
  const active = agents.filter(({ is_active }) => is_active);
  return active.find((agent) => !hasOwnPurpose(agent)) ?? active[0];
}
