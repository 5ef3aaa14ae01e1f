import { textHash } from './edits/text.ts';

/** What providers take. */
const LONGEST = 64;
const MARK = 8;

/** As long as providers take it: what is cut ends in a mark of the whole, so that two that begin alike stay two. */
export function fittingToolName(name: string): string {
  if (name.length <= LONGEST) return name;
  const mark = textHash(name).slice(-MARK);
  return `${name.slice(0, LONGEST - MARK - 1)}_${mark}`;
}

/** As it was cut before it had a mark: logs of runs under way have it. */
export const formerToolName = (name: string): string => name.slice(0, LONGEST);
