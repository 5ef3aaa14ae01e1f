import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { AgentBinding } from '../domain/agent-file.ts';
import { openDesk } from './desk.ts';
import { jsonFrom } from './json-input.ts';
import { agentFor } from './run-target.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { workspaceFor } from './workspace-choice.ts';

const told = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

export async function agentExportCommand(wanted: string, { output }: { output?: string }): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await agentFor(client, wanted);
  const yaml = await client.agents.export(id);
  if (output === undefined) return print(yaml.trimEnd());
  await writeFile(output, yaml).catch((error: NodeJS.ErrnoException) => {
    throw new Trouble(`${output} cannot be written (${told(error)}).`);
  });
  print(`Written to ${output}.`);
}

export interface ImportOptions {
  workspace?: string;
  name?: string;
  slug?: string;
  model?: string;
  binding?: string;
  json?: boolean;
}

const fileText = (file: string): Promise<string> =>
  file === '-'
    ? text(process.stdin)
    : readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new Trouble(`${file} cannot be read (${told(error)}).`);
      });

export async function agentImportCommand(file: string, options: ImportOptions): Promise<void> {
  const { workspace, name, slug, model, binding, json = false } = options;
  const yaml = await fileText(file);
  const given: AgentBinding = binding === undefined ? {} : await jsonFrom('binding', binding);
  const { client, print } = await openDesk({ json });
  const { id: workspace_id } = await workspaceFor(client, workspace);
  const agent = await client.agents.import({
    workspace_id,
    yaml,
    binding: { ...given, ...(name && { name }), ...(slug && { slug }), ...(model && { model }) },
  });
  if (json) print(JSON.stringify(agent));
  else print(`${agent.id}  ${harmless(agent.name)} (${agent.slug})`);
}

export async function agentTemplatesCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const { items } = await client.agents.templates();
  if (json) for (const template of items) print(JSON.stringify(template));
  else
    for (const row of tableLines(
      ['TEMPLATE', 'WHAT IT DOES'],
      items.map((each) => [each.id, brief(each.description, 100)]),
    ))
      print(row);
}
