import { commandEnd } from '../domain/command-outcome.ts';
import { commandWords } from '../domain/command-words.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { CallItem } from './transcript-items.ts';

export const CUT_WORDS: Record<NonNullable<Evidence['cut']>, string> = {
  timeout: 'Ended: time was up',
  cancelled: 'Ended with the run',
  memory: 'Ended: out of memory',
  processes: 'Ended: too many processes',
  disk: 'Ended: wrote too much',
};
const isCut = (word: string): word is keyof typeof CUT_WORDS => Object.hasOwn(CUT_WORDS, word);

/** How a command ended, which the model is told as a result whatever it is; null for one that went well, or is none. */
export function commandOutcome({
  name,
  arguments: given,
  result,
}: CallItem): { isGood: boolean; words: string } | null {
  const command = result?.ok ? commandWords(name, given) : null;
  const end = result && command ? commandEnd(result.summary) : null;
  if (!end) return null;
  const { isGood, exit_code, cut, tests } = end;
  if (tests) return { isGood, words: `${isGood ? '' : `${tests.failed} failed, `}${tests.passed} passed` };
  if (command?.operation === 'test') return { isGood, words: isGood ? 'Passed' : 'Failed' };
  if (isGood) return null;
  return { isGood, words: cut !== null && isCut(cut) ? CUT_WORDS[cut] : `Exit ${exit_code ?? 'unknown'}` };
}
