import type { FileEntry } from '../domain/file.ts';
import { everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { notebookCalled } from './notebooks.ts';
import { harmless } from './style.ts';
import { tableLines } from './table.ts';
import { ago, figure } from './words.ts';

const row = ({ name, type, size, modified_at }: FileEntry): string[] => [
  harmless(type === 'folder' ? `${name}/` : name).replaceAll('\n', '␊'),
  size === null ? '' : figure(size),
  modified_at === null ? '' : ago(modified_at, Date.now()),
];

export async function filesListCommand(
  notebook: string,
  path: string | undefined,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { client, print } = await openDesk({ json });
  const { id } = await notebookCalled(client, notebook);
  const found: FileEntry[] = [];
  const pages = everyItem((cursor) =>
    client.notebooks.files(id, { path: path ?? '/', ...(cursor === undefined ? {} : { cursor }) }),
  );
  for await (const entry of pages) found.push(entry);
  if (json) for (const entry of found) print(JSON.stringify(entry));
  else if (found.length === 0) print('The folder is empty.');
  else for (const line of tableLines(['NAME', 'BYTES', 'CHANGED'], found.map(row), [1])) print(line);
}

/** To a terminal without what could move its cursor; to a pipe as it is. */
export async function filesCatCommand(notebook: string, path: string): Promise<void> {
  const { client } = await openDesk();
  const { id } = await notebookCalled(client, notebook);
  const { text } = await client.notebooks.readFile(id, path);
  process.stdout.write(process.stdout.isTTY ? harmless(text) : text);
}
