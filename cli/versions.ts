import { openDesk } from './desk.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';

const numbered = (given: string): number => {
  const version = Number(given);
  if (Number.isSafeInteger(version) && version > 0) return version;
  throw new Trouble(`"${given}" is no version: a number like 3 is expected.`);
};

export async function versionsCommand(id: string | undefined, { json = false }: { json?: boolean }): Promise<void> {
  if (id === undefined) throw new Trouble('Give the id of an agent, tool, workflow, evaluator or integration.');
  const { client, print } = await openDesk({ json });
  const rows: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.versions.list(id, cursor === undefined ? {} : { cursor });
    for (const each of page.versions) {
      if (json) print(JSON.stringify(each));
      const who = each.updated_by_name ?? each.updated_by;
      rows.push([String(each.version), ago(each.updated_at, Date.now()), harmless(who), brief(each.changes, 80)]);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (!json) for (const row of tableLines(['VERSION', 'WHEN', 'WHO', 'CHANGES'], rows, [0])) print(row);
}

const written = (value: unknown): string => harmless(typeof value === 'string' ? value : JSON.stringify(value));

export async function versionDiffCommand(
  id: string,
  from: string,
  to: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { client, print, style } = await openDesk({ json });
  const diff = await client.versions.diff(id, numbered(from), numbered(to));
  if (json) return print(JSON.stringify(diff));
  if (diff.changes.length === 0) return print('Nothing changed.');
  for (const { path, change, before, after } of diff.changes) {
    print(style('bold', harmless(path)));
    if (change !== 'added') for (const line of written(before).split('\n')) print(style('red', `- ${line}`));
    if (change !== 'removed') for (const line of written(after).split('\n')) print(style('green', `+ ${line}`));
  }
}

export async function versionRollbackCommand(id: string, version: string): Promise<void> {
  const { client, print } = await openDesk();
  const made = await client.versions.rollback(id, numbered(version));
  print(`${id} is at version ${made.version} now, which is like version ${version}.`);
}
