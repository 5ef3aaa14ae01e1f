import picomatch from 'picomatch';

const MOST_STARS = 5;
const MOST_CHOICES = 3;

export const GLOB_RULE = `a pattern has at most ${MOST_STARS} stars and ${MOST_CHOICES} choices in braces, and no backslash`;

const count = (pattern: string, what: RegExp): number => pattern.match(what)?.length ?? 0;

/** Patterns come from models and people and become regular expressions: what could run for hours is not taken. */
export const isTameGlob = (pattern: string): boolean =>
  count(pattern, /\*+/g) <= MOST_STARS && count(pattern, /\{/g) <= MOST_CHOICES && !pattern.includes('\\');

type Matcher = (path: string) => boolean;
const KEPT = 500;
const compiled = new Map<string, Matcher>();

const unrooted = (path: string): string => (path.startsWith('/') ? path.slice(1) : path);

/** From the root on both sides: with the slash in front, two stars would not match the files of the root itself. */
function compile(pattern: string): Matcher {
  const bare = unrooted(pattern).replace(/[()+]/g, '\\$&');
  const matches = bare === '' ? (path: string) => path === '' : picomatch(bare, { dot: true, nonegate: true });
  return (path) => matches(unrooted(path));
}

/** Stars, question marks, character classes and braces; parentheses and plus signs mean themselves. */
export function globMatcher(pattern: string): Matcher {
  const known = compiled.get(pattern);
  if (known) return known;
  const matcher = isTameGlob(pattern) ? compile(pattern) : () => false;
  // Asked for every file of a listing; what a pattern means never changes.
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(pattern, matcher);
  return matcher;
}
