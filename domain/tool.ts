import type { Operation } from './agent.ts';

/** What a decision needs to know of a tool; how it works is the business of activities/tools. */
export interface ToolTraits {
  name: string;
  /** What the agent must be allowed to do for this tool to be offered and run. */
  operation: Operation | null;
  /** It changes something: it waits for a person where the policy says so, and is never run twice. */
  effect: boolean;
  /** It asks the user a question; the answer is its result. */
  asks: boolean;
  /** It puts edits before people, who review and apply them. */
  proposes?: true;
  /** What it changes lies beyond the notebook, also where that is a checkout of the run's own. */
  outside?: true;
  /** Another agent does it, as a run of its own. */
  delegates?: true;
}

/**
 * Knows canonical names and their accepted other spellings; undefined for a tool there is not. What a call of a domain
 * comes to is told by its arguments.
 */
export type ToolLookup = (name: string, args?: Record<string, unknown>) => ToolTraits | undefined;
