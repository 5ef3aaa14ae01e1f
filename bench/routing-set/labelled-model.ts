import type { ModelAnswer } from '../../domain/dispatch-decision.ts';
import type { Labelled } from './queries.ts';

/** What a model would say that knows the labels, in their own wording, whatever it was offered. */
export const labelledAnswer = ({ expect, unclear, query }: Labelled): ModelAnswer => ({
  selected: (unclear ? expect.slice(0, 1) : expect).map((ref) => ({ ref, arguments: '' })),
  order: /\bthen\b/.test(query) ? 'sequence' : 'parallel',
  confidence: unclear ? 0.3 : 0.95,
  reasoning: unclear ? 'Several would do.' : `It asks for ${expect.join(' and ') || 'nothing that there is'}.`,
  alternatives: unclear ? expect.slice(1) : [],
});
