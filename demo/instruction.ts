import { clean } from './job.ts';

/** How instructions are taken apart: paths, quoted words, what is left when the small words are gone. */
const PATH = /(?:^|[\s"'`“(])(\/?(?:[\w-]+\/)*[\w-][\w.-]*\.[A-Za-z]{1,5})(?=$|[\s"'`”),.;:!?])/g;

export const pathsIn = (text: string): string[] =>
  [...text.matchAll(PATH)].flatMap((match) => (match[1] ? clean(match[1]) : []));

const QUOTED = /"([^"]+)"|'([^']+)'|`([^`]+)`|“([^”]+)”/;

export function quotedIn(text: string): string | null {
  const match = QUOTED.exec(text);
  return match ? (match[1] ?? match[2] ?? match[3] ?? match[4] ?? null) : null;
}

export const unquote = (text: string): string => quotedIn(text) ?? text.trim();

const SMALL = new Set(
  'a an the all any every for of in on to me my our this that these those and or is are was were please can could you notebook files file folder where what which mentions mention mentioned about anything something everything with occurrences word words text'.split(
    ' ',
  ),
);

/** The words an instruction is about. */
export const keywords = (text: string): string =>
  text
    .replace(/[?!.,;:]+(?=\s|$)/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !SMALL.has(word.toLowerCase()))
    .join(' ');

/** The files of a list that an instruction means: those it names, those of folders it names, else all. */
export function meant(instruction: string, files: string[]): string[] {
  const named = pathsIn(instruction);
  const exact = files.filter((file) => named.some((path) => clean(file) === path || clean(file).endsWith(`/${path}`)));
  if (exact.length > 0) return exact;
  const folders = new Set(files.flatMap((file) => clean(file).split('/').slice(0, -1)));
  const words = new Set(instruction.toLowerCase().split(/[^\w-]+/));
  const wanted = [...folders].filter((folder) => words.has(folder.toLowerCase()));
  if (wanted.length === 0) return files;
  return files.filter((file) =>
    clean(file)
      .split('/')
      .slice(0, -1)
      .some((part) => wanted.includes(part)),
  );
}

export const isText = (path: string): boolean => /\.(md|markdown|txt|csv|json|ya?ml|ts|js|py|html|css)$/i.test(path);
