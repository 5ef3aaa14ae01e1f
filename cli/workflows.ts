import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { WorkflowShown as Workflow } from '../domain/definition-kinds.ts';
import { allSteps } from '../domain/step-lists.ts';
import { readWorkflowFile, writeWorkflowFile } from '../domain/workflow-file.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { inputIn } from './json-input.ts';
import { followToTheEnd } from './run.ts';
import { notebookIn } from './run-target.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { counted } from './words.ts';
import { workspaceFor } from './workspace-choice.ts';

const told = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

async function allWorkflows(client: Client): Promise<Workflow[]> {
  const all: Workflow[] = [];
  for await (const each of everyItem((cursor) => client.workflows.list(cursor === undefined ? {} : { cursor })))
    all.push(each);
  return all;
}

/** By name or id. */
async function workflowFor(client: Client, wanted: string): Promise<Workflow> {
  const all = await allWorkflows(client);
  const found = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === wanted);
  if (found) return found;
  const names = all.map(({ name }) => `"${harmless(name)}"`).join(', ');
  throw new Trouble(
    `There is no workflow "${wanted}".`,
    names ? `There are ${names}.` : 'Make one with: longhaul workflows import <file>',
  );
}

const kindsOf = ({ steps }: Workflow): string => [...new Set(allSteps(steps).map(({ type }) => type))].join(', ');

export async function workflowsCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const all = await allWorkflows(client);
  if (json) for (const each of all) print(JSON.stringify(each));
  else if (all.length === 0)
    print('No workflow yet. Make one on the web page, or with: longhaul workflows import <file>');
  else {
    const rows = all.map((each) => [
      brief(each.name, 40),
      `${each.version}`,
      `${allSteps(each.steps).length}`,
      kindsOf(each),
    ]);
    for (const row of tableLines(['NAME', 'VERSION', 'STEPS', 'OF'], rows)) print(row);
  }
}

export async function workflowShowCommand(wanted: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, style, print } = await openDesk({ json });
  const workflow = await workflowFor(client, wanted);
  if (json) return print(JSON.stringify(workflow));
  print(style('bold', harmless(workflow.name)));
  print(
    style('dim', `${workflow.id} · version ${workflow.version} · ${counted(allSteps(workflow.steps).length, 'step')}`),
  );
  for (const line of writeWorkflowFile(workflow).trimEnd().split('\n')) print(harmless(line));
}

export async function workflowExportCommand(wanted: string, { output }: { output?: string }): Promise<void> {
  const { client, print } = await openDesk();
  const yaml = writeWorkflowFile(await workflowFor(client, wanted));
  if (output === undefined) return print(yaml.trimEnd());
  await writeFile(output, yaml).catch((error: NodeJS.ErrnoException) => {
    throw new Trouble(`${output} cannot be written (${told(error)}).`);
  });
  print(`Written to ${output}.`);
}

/** One of the same name in the workspace becomes its next version. */
export async function workflowImportCommand(
  file: string,
  { workspace, json = false }: { workspace?: string; json?: boolean },
): Promise<void> {
  const yaml =
    file === '-'
      ? await text(process.stdin)
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new Trouble(`${file} cannot be read (${told(error)}).`);
        });
  const { file: read, problems } = readWorkflowFile(yaml);
  if (!read || problems.length > 0) {
    const said = problems.map(({ line, step, message }) =>
      [line === null ? '' : `line ${line}:`, step === null ? '' : `${step}:`, message].filter(Boolean).join(' '),
    );
    throw new Trouble(`${file} is not a workflow yet.`, said.join('\n'));
  }
  const { client, print } = await openDesk({ json });
  const { id: workspace_id } = await workspaceFor(client, workspace);
  const { items } = await client.workflows.list({ workspace_id, name: read.name });
  const [before] = items;
  const saved = before
    ? await client.workflows.change(before.id, read, { version: before.version })
    : await client.workflows.create({ ...read, workspace_id });
  if (json) print(JSON.stringify(saved));
  else print(`${saved.id}  ${harmless(saved.name)}, version ${saved.version}`);
}

export interface WorkflowRunOptions {
  input?: string;
  notebook?: string;
  detach?: boolean;
  json?: boolean;
}

export async function workflowRunCommand(wanted: string, options: WorkflowRunOptions): Promise<void> {
  const { json = false, detach = false } = options;
  const desk = await openDesk({ json });
  const { client, style, print } = desk;
  const workflow = await workflowFor(client, wanted);
  const notebook = await notebookIn(
    client,
    { name: workflow.name, workspace_id: workflow.workspace_id ?? '' },
    options.notebook,
  );
  const { id } = await client.runs.start({
    workflow_id: workflow.id,
    input: options.input === undefined ? {} : inputIn(options.input),
    ...(notebook ? { notebook_id: notebook.id } : {}),
  });
  if (detach) {
    if (json) print(JSON.stringify(await client.runs.get(id)));
    else for (const said of [`${id} has started.`, `Watch it with: longhaul watch ${id}`]) print(said);
    return;
  }
  const where = notebook ? ` on ${harmless(notebook.name)}` : '';
  await followToTheEnd(desk, id, json, [
    `${style('bold', harmless(workflow.name))}${where} ${style('dim', `· ${id}`)}`,
  ]);
}
