import { operationSchema } from '../domain/agent.ts';
import { openDesk } from './desk.ts';
import { agentFor, notebookFor } from './run-target.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';

const switched = async (wanted: string, active: boolean): Promise<void> => {
  const { client, print } = await openDesk();
  const { id, name } = await client.agents.activate((await agentFor(client, wanted)).id, active);
  print(`${harmless(name)} (${id}) is ${active ? 'active' : 'inactive: it cannot be started until it is activated'}.`);
};

export const agentActivateCommand = (wanted: string): Promise<void> => switched(wanted, true);
export const agentDeactivateCommand = (wanted: string): Promise<void> => switched(wanted, false);

export async function agentDeleteCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name, version } = await agentFor(client, wanted);
  await client.agents.delete(id, { version });
  print(`Deleted ${harmless(name)} (${id}).`);
}

interface ProbeOptions {
  notebook?: string;
  json?: boolean;
}

/** Its exit code is the answer, for scripts: 0 where it may, 1 where it may not. */
export async function agentProbeCommand(
  wanted: string,
  operation: string,
  path: string,
  { notebook: called, json = false }: ProbeOptions,
): Promise<void> {
  const known = operationSchema.safeParse(operation);
  if (!known.success) throw new Trouble(`"${operation}" is none of ${operationSchema.options.join(', ')}.`);
  const { client, style, print } = await openDesk({ json });
  const agent = await agentFor(client, wanted);
  const notebook = await notebookFor(client, agent, called);
  if (!notebook) throw new Trouble(`The scope of ${agent.name} covers no notebook.`, 'Name one with --notebook.');
  const body = { agent_id: agent.id, notebook_id: notebook.id, operation: known.data, path };
  const verdict = await client.agents.probe(body);
  if (!verdict.allowed) process.exitCode = 1;
  if (json) return print(JSON.stringify(verdict));
  const answer = verdict.allowed ? style('green', 'yes') : style('red', 'no');
  const asks = {
    always: ', after a person has allowed it',
    first_time: ', after a person has allowed it once',
    never: '',
  };
  const asked = verdict.asks === null ? '' : asks[verdict.asks];
  print(`${answer}${asked}: ${harmless(verdict.rule)}`);
}
