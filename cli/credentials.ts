import { text } from 'node:stream/consumers';
import { type Desk, openDesk } from './desk.ts';
import { askSecret } from './prompts.ts';
import { agentFor } from './run-target.ts';
import { harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';

export async function credentialsListCommand(wanted: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const agent = await agentFor(client, wanted);
  const { items } = await client.credentials.list(agent.id);
  if (json) {
    for (const credential of items) print(JSON.stringify(credential));
    return;
  }
  if (items.length === 0) {
    print(`${harmless(agent.name)} has none. Set one with: longhaul credentials set ${agent.slug} api_key`);
    return;
  }
  const rows = items.map(({ key, updated_at }) => [key, ago(updated_at, Date.now())]);
  for (const row of tableLines(['KEY', 'SET'], rows)) print(row);
}

/** From a person at the terminal, else from the standard input; null where the person thought better of it. */
export async function askedValue(key: string, { prompting }: Desk): Promise<string | null> {
  if (prompting) return askSecret(`Value of ${key} (it is not shown)`);
  const value = (await text(process.stdin)).trim();
  if (value === '') throw new Trouble('There is no value on the standard input.');
  return value;
}

export async function credentialsSetCommand(wanted: string, key: string): Promise<void> {
  const desk = await openDesk();
  const agent = await agentFor(desk.client, wanted);
  const value = await askedValue(key, desk);
  if (value === null) return;
  await desk.client.credentials.set(agent.id, { key, value });
  desk.print(`Set ${key} of ${harmless(agent.name)}. It is used from the next model call on.`);
}

export async function credentialsRemoveCommand(wanted: string, key: string): Promise<void> {
  const { client, print } = await openDesk();
  const agent = await agentFor(client, wanted);
  await client.credentials.remove(agent.id, key);
  print(`Removed ${key} of ${harmless(agent.name)}.`);
}
