import { textHash } from './edits/text.ts';

/** What providers take. */
const LONGEST = 64;
const MARK = 8;

/** As long as providers take it: what is cut ends in a mark of the whole, so that two that begin alike stay two. */
export function fittingToolName(name: string): string {
  return name.length <= LONGEST ? name : markedName(name.slice(0, LONGEST - MARK - 1), name);
}

/** With a mark of what it stands for. */
export const markedName = (name: string, whole: string): string => `${name}_${textHash(whole).slice(-MARK)}`;

/** As it was cut before it had a mark: logs of runs under way have it. */
export const formerToolName = (name: string): string => name.slice(0, LONGEST);
