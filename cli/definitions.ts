import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import type { Definition } from '../domain/definition.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { askSecret } from './prompts.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { isCalled, workspaceFor } from './workspace-choice.ts';

/** The kinds that the command line keeps; all are kept the same way. */
export interface Kept {
  noun: string;
  calls: (client: Client) => {
    list: (query: { cursor?: string }) => Promise<{ items: Definition[]; next_cursor: string | null }>;
    create: (body: Record<string, unknown>) => Promise<Definition>;
    change: (id: string, body: Record<string, unknown>, at: { version: number }) => Promise<Definition>;
    delete: (id: string, at: { version: number }) => Promise<void>;
  };
  columns: string[];
  row: (definition: Definition) => string[];
}

async function all({ calls }: Kept, client: Client): Promise<Definition[]> {
  const found: Definition[] = [];
  const { list } = calls(client);
  for await (const each of everyItem((cursor) => list(cursor === undefined ? {} : { cursor }))) found.push(each);
  return found;
}

async function one(kept: Kept, client: Client, wanted: string): Promise<Definition> {
  const [found, another] = (await all(kept, client)).filter(isCalled(wanted));
  if (!found) throw new Trouble(`There is no ${kept.noun} "${wanted}".`);
  if (another) throw new Trouble(`Several are called "${wanted}".`, `Give the id: ${found.id} or ${another.id}.`);
  return found;
}

export const listCommand =
  (kept: Kept) =>
  async ({ json = false }: { json?: boolean }): Promise<void> => {
    const { client, print } = await openDesk({ json });
    const found = await all(kept, client);
    if (json) for (const each of found) print(JSON.stringify(each));
    else if (found.length === 0) print(`No ${kept.noun} yet. Make one on the web page, or of a file with apply.`);
    else
      for (const row of tableLines(
        ['NAME', 'VERSION', ...kept.columns, 'WHAT IT IS FOR'],
        found.map((each) => [
          harmless(each.name),
          String(each.version),
          ...kept.row(each).map((cell) => harmless(cell)),
          brief(each.description, 60),
        ]),
      ))
        print(row);
  };

export const showCommand =
  (kept: Kept) =>
  async (wanted: string): Promise<void> => {
    const { client, print } = await openDesk();
    print(JSON.stringify(await one(kept, client, wanted), null, 2));
  };

const told = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

async function fieldsIn(file: string): Promise<Record<string, unknown>> {
  const written =
    file === '-'
      ? await text(process.stdin)
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new Trouble(`${file} cannot be read (${told(error)}).`);
        });
  let value: unknown;
  try {
    value = parse(written);
  } catch (error) {
    throw new Trouble(`${file} is neither YAML nor JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Trouble(`${file} does not hold an object with fields.`);
}

/** Where there is one of that name it is changed, else it is made: a file can be applied again and again. */
export const applyCommand =
  (kept: Kept) =>
  async (file: string, { workspace, json = false }: { workspace?: string; json?: boolean }): Promise<void> => {
    const fields = await fieldsIn(file);
    const { client, print } = await openDesk({ json });
    const { id: workspace_id } = await workspaceFor(client, workspace);
    const former = (await all(kept, client)).find(
      (each) => each.workspace_id === workspace_id && each.name === fields.name,
    );
    const { create, change } = kept.calls(client);
    const now = former
      ? await change(former.id, fields, { version: former.version })
      : await create({ workspace_id, ...fields });
    if (json) print(JSON.stringify(now));
    else print(`${now.id}  ${harmless(now.name)}, version ${now.version}`);
  };

export const deleteCommand =
  (kept: Kept) =>
  async (wanted: string): Promise<void> => {
    const { client, print } = await openDesk();
    const { id, name, version } = await one(kept, client, wanted);
    await kept.calls(client).delete(id, { version });
    print(`Deleted ${harmless(name)} (${id}).`);
  };

export const credentialCommand =
  (kept: Kept) =>
  async (wanted: string, key: string): Promise<void> => {
    const { client, print, prompting } = await openDesk();
    const { id, name } = await one(kept, client, wanted);
    const value = prompting ? await askSecret(`Value of ${key} (it is not shown)`) : (await text(process.stdin)).trim();
    if (value === null) return;
    if (value === '') throw new Trouble('There is no value on the standard input.');
    await client.integrations.setCredential(id, { key, value });
    print(`Set ${key} of ${harmless(name)}. It is used from the next call on.`);
  };
