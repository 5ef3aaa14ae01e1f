import { parse } from 'yaml';
import { isRecord } from '../domain/json-value.ts';
import { clean, type FileText } from './job.ts';

/** What can be said about a file by rule: title, date, a sentence, its open points. */
export interface Digest {
  path: string;
  title: string;
  date: string | null;
  gist: string;
  open_points: { line: number; text: string }[];
}

const SENTENCE_CHARS = 180;

function frontmatter(content: string): { meta: Record<string, unknown>; body: string } {
  const block = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(content);
  if (!block?.[1]) return { meta: {}, body: content };
  let meta: unknown;
  try {
    meta = parse(block[1], { schema: 'failsafe' });
  } catch {
    meta = {};
  }
  return { meta: isRecord(meta) ? meta : {}, body: content.slice(block[0].length) };
}

function firstSentence(text: string): string {
  const prose = text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, '').trim())
    .filter((line) => line !== '' && !/^([#|`]|\*[^*]+\*$|TODO)/.test(line));
  const paragraph = prose.slice(0, 4).join(' ');
  const sentence = /^.+?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
  return sentence.length > SENTENCE_CHARS ? `${sentence.slice(0, SENTENCE_CHARS).trimEnd()}…` : sentence;
}

function csvGist(content: string): string {
  const rows = content.trim().split(/\r?\n/);
  const columns = (rows[0] ?? '').split(',');
  const values = rows.slice(1).map((row) => Number(row.split(',').at(-1)));
  const known = values.filter(Number.isFinite);
  const range = known.length > 0 ? `; ${columns.at(-1)} from ${Math.min(...known)} to ${Math.max(...known)}` : '';
  return `${rows.length - 1} rows of ${columns.join(', ')}${range}.`;
}

export function openPoints(content: string): Digest['open_points'] {
  return content.split('\n').flatMap((text, index) => {
    const found = /\bTODO:\s*(.+)$|^\s*[-*] \[ \]\s*(.+)$/.exec(text);
    return found ? { line: index + 1, text: (found[1] ?? found[2] ?? '').trim() } : [];
  });
}

export function digest({ path, content }: FileText): Digest {
  const name = clean(path);
  if (name.endsWith('.csv')) return { path: name, title: name, date: null, gist: csvGist(content), open_points: [] };
  const { meta, body } = frontmatter(content);
  const heading = /^#(?!#)\s*(.+)$/m.exec(body)?.[1]?.trim();
  const outcome = /^##\s+(?:result|outcome|conclusion|what we saw)[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/im.exec(
    body,
  )?.[1];
  const date = meta.date ?? /\d{4}-\d{2}-\d{2}/.exec(name)?.[0];
  return {
    path: name,
    title: String(meta.title ?? heading ?? name),
    date: date ? String(date) : null,
    gist: firstSentence(outcome ?? '') || firstSentence(body) || 'Nothing but headings.',
    open_points: openPoints(content),
  };
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function digestTable(digests: Digest[]): string {
  const rows = digests.map(
    ({ path, title, date, gist }) => `| ${date ?? ''} | \`${path}\` | ${cell(title)} | ${cell(gist)} |`,
  );
  return ['| Date | File | Title | In short |', '|---|---|---|---|', ...rows].join('\n');
}

export function openPointList(digests: Digest[]): string {
  return digests
    .flatMap(({ path, open_points }) => open_points.map(({ line, text }) => `- ${text} (${path}:${line})`))
    .join('\n');
}
