import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

export const at = (path: string): string => fileURLToPath(new URL(path, ROOT));
export const textOf = (path: string): string => readFileSync(at(path), 'utf8');

/** Everything people are given to read. */
export const DOCUMENTS = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(at('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const cellsOf = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());

/** The rows of the first table below a heading, the one with the titles first. */
export function tableUnder(path: string, heading: string): string[][] {
  const lines = textOf(path).split('\n');
  const title = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (title < 0) throw new Error(`${path} has no heading "${heading}"`);
  const begin = lines.findIndex((line, index) => index > title && line.startsWith('|'));
  const length = lines.slice(begin).findIndex((line) => !line.startsWith('|'));
  const [titles = '', , ...rows] = lines.slice(begin, length < 0 ? undefined : begin + length);
  return [titles, ...rows].map(cellsOf);
}

/** What stands between backticks. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []);

/** The blocks of commands of a document, one string each. */
export const shellOf = (path: string): string[] =>
  [...textOf(path).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) => block ?? []);
