import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  type KnowledgeHit,
  type KnowledgeSource,
  type KnowledgeType,
  MAX_KNOWLEDGE_BYTES,
} from '../domain/knowledge.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { type Desk, openDesk } from './desk.ts';
import { wholeNumber } from './runs.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago, counted, figure } from './words.ts';
import { isCalled, workspaceFor } from './workspace-choice.ts';

const TYPES: Record<string, KnowledgeType> = {
  '.pdf': 'application/pdf',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
};
const NAME_WIDTH = 48;
const MOST_HITS = 50;

interface Where {
  workspace?: string;
}

async function allSources(client: Client): Promise<KnowledgeSource[]> {
  const sources: KnowledgeSource[] = [];
  const pages = everyItem((cursor) => client.knowledge.list(cursor === undefined ? {} : { cursor }));
  for await (const source of pages) sources.push(source);
  return sources;
}

async function contentOf(file: string): Promise<Buffer> {
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Trouble(`${file} cannot be read (${error.code ?? error.message}).`);
  });
  if (content.length <= MAX_KNOWLEDGE_BYTES) return content;
  throw new Trouble(`${file} is larger than 10 MB.`, 'Take it apart, or add the text of it alone.');
}

const parts = ({ kind, lines, pages }: KnowledgeSource): string =>
  `${kind}, ${pages === null ? '' : `${counted(pages, 'page')}, `}${counted(lines, 'line')}`;

export async function knowledgeAddCommand(files: string[], { workspace }: Where): Promise<void> {
  const { client, print } = await openDesk();
  const { id: workspace_id } = await workspaceFor(client, workspace);
  for (const file of files) {
    const content_base64 = (await contentOf(file)).toString('base64');
    const content_type = TYPES[extname(file).toLowerCase()] ?? 'text/plain';
    const source = await client.knowledge.add({ workspace_id, name: basename(file), content_type, content_base64 });
    print(`${source.id}  ${harmless(source.name)} (${parts(source)})`);
  }
}

export async function knowledgeListCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const sources = await allSources(client);
  if (json) {
    for (const source of sources) print(JSON.stringify(source));
    return;
  }
  if (sources.length === 0) {
    print('No document yet. Add one with: longhaul knowledge add <file>');
    return;
  }
  const rows = sources.map((source) => [
    source.id,
    brief(source.name, NAME_WIDTH),
    source.kind,
    figure(source.lines),
    ago(source.created_at, Date.now()),
  ]);
  for (const row of tableLines(['ID', 'NAME', 'KIND', 'LINES', 'ADDED'], rows, [3])) print(row);
}

function showHit({ print, style }: Desk, hit: KnowledgeHit): void {
  const page = hit.page === null ? '' : ` (page ${figure(hit.page)})`;
  print(`${style('bold', `${harmless(hit.source)}:${hit.line}`)}${page}  ${style('dim', String(hit.score))}`);
  for (const [index, line] of hit.snippet.split('\n').entries()) {
    if (Math.abs(hit.start_line + index - hit.line) <= 1) print(`  ${harmless(line)}`);
  }
}

interface SearchOptions extends Where {
  limit: string;
  json?: boolean;
}

export async function knowledgeSearchCommand(
  words: string[],
  { limit, workspace, json = false }: SearchOptions,
): Promise<void> {
  const most = wholeNumber('limit', limit, MOST_HITS);
  const desk = await openDesk({ json });
  const within = workspace === undefined ? {} : { workspace_id: (await workspaceFor(desk.client, workspace)).id };
  const { results, ranking, ranking_reason } = await desk.client.knowledge.search(words.join(' '), {
    limit: most,
    ...within,
  });
  if (json) for (const hit of results) desk.print(JSON.stringify(hit));
  else if (results.length === 0) desk.print('No document has these words.');
  else for (const hit of results) showHit(desk, hit);
  const how = ranking === 'words' ? 'Found by words alone.' : 'Found by words and meaning.';
  if (!json) desk.print(desk.style('dim', ranking_reason === null ? how : `${how} ${ranking_reason}`));
}

export async function knowledgeRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const [found, ...more] = (await allSources(client)).filter(isCalled(wanted));
  if (!found) throw new Trouble(`There is no document "${wanted}".`, 'See which there are: longhaul knowledge list');
  if (more.length > 0) {
    const ids = [found, ...more].map(({ id }) => id).join(', ');
    throw new Trouble(`More than one document is called "${wanted}".`, `Give one of the ids ${ids}.`);
  }
  await client.knowledge.remove(found.id);
  print(`Removed ${harmless(found.name)}.`);
}
