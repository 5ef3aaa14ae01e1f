import type { Operation } from '../domain/agent.ts';
import type { ProbeAnswer } from './agents-api.ts';

const ASKS = {
  always: '; asks first',
  first_time: '; asks the first time',
  never: '; does not ask',
};

/** "Yes, by folder rule 2 (/drafts/*); asks first." */
export function probeWords({ allowed, rule, asks }: Omit<ProbeAnswer, 'path'>, operation: Operation): string {
  if (!allowed) return `No: ${rule.replace(/\.$/, '')}.`;
  // Nobody expects to be asked before something is read.
  const isAsked = operation !== 'read' || asks !== 'never';
  return `Yes${rule && `, by ${rule}`}${asks !== null && isAsked ? ASKS[asks] : ''}.`;
}

/** The rules that decided: the number of one, or the whole list where none of it fits. */
export interface Marks {
  notebooks: boolean;
  operation: Operation | null;
  folders: number | 'list' | null;
  file_types: number | 'list' | null;
}

export const NO_MARKS: Marks = { notebooks: false, operation: null, folders: null, file_types: null };

function numberIn(rule: string, kind: string): number | 'list' | null {
  if (rule.startsWith('no ')) return rule.startsWith(`no ${kind} rule`) ? 'list' : null;
  const [, number] = new RegExp(`(?:^| and |, )${kind} rule (\\d+) `).exec(rule) ?? [];
  return number === undefined ? null : Number(number);
}

/** Which rules the guard's words are about. A path in them may read like anything, so only their beginning counts. */
export const marksOf = ({ rule }: Pick<ProbeAnswer, 'rule'>, operation: Operation): Marks => ({
  notebooks: rule.startsWith('the notebook'),
  operation: /^(can_\w+( is|,)|its scope does not list)/.test(rule) ? operation : null,
  folders: numberIn(rule, 'folder'),
  file_types: numberIn(rule, 'file type'),
});
