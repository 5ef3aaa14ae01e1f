import { Trouble } from './trouble.ts';

export const looksLikeRun = (word: string): boolean => word.startsWith('run_');

/** Told here, since the server can only speak of the path of a request. */
export function runId(word: string): string {
  if (/^run_[0-9a-z]{26}$/.test(word)) return word;
  throw new Trouble(`"${word}" is not the id of a run.`, 'See which there are: longhaul runs');
}
