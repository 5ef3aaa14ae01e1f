import { type Desk, openDesk } from './desk.ts';
import { EXIT_CODES, follow, settledRun } from './follow.ts';
import { agentFor, notebookFor } from './run-target.ts';
import { wholeNumber } from './runs.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';
import { modelName } from './words.ts';

export interface RunOptions {
  agent?: string;
  notebook?: string;
  maxIterations?: string;
  json?: boolean;
  detach?: boolean;
}

const MOST_ITERATIONS = 100_000;

export async function runCommand(words: string[], options: RunOptions): Promise<void> {
  const { json = false, detach = false, maxIterations } = options;
  const max = maxIterations === undefined ? undefined : wholeNumber('max-iterations', maxIterations, MOST_ITERATIONS);
  const input = await instructionFrom(words);
  const desk = await openDesk({ json });
  const { client, style, print } = desk;
  const agent = await agentFor(client, options.agent);
  const notebook = await notebookFor(client, agent, options.notebook);
  const { id } = await client.runs.start({
    agent_id: agent.id,
    input,
    ...(notebook ? { notebook_id: notebook.id } : {}),
    ...(max === undefined ? {} : { budget: { max_iterations: max } }),
  });
  if (detach) {
    if (json) print(JSON.stringify(await client.runs.get(id)));
    else for (const said of [`${id} has started.`, `Watch it with: longhaul watch ${id}`]) print(said);
    return;
  }
  if (!json) {
    const where = notebook ? ` on ${harmless(notebook.name)}` : '';
    print(`${style('bold', harmless(agent.name))}${where} ${style('dim', `· ${id}`)}`);
    print(style('dim', modelName(agent.model)));
  }
  await followToTheEnd(desk, id, json);
}

/** Leaves as the exit code how the run ended. */
export async function followToTheEnd(
  { client, style, prompting, print }: Desk,
  id: string,
  json: boolean,
): Promise<void> {
  const outcome = await follow({ client, run: id, json, style, prompting });
  if (json && outcome !== 'left') print(JSON.stringify(await settledRun(client, id)));
  process.exitCode = EXIT_CODES[outcome];
}

async function instructionFrom(words: string[]): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? await readAll(process.stdin) : words.join(' ');
  if (given.trim() !== '') return given;
  throw new Trouble('The instruction is empty.', 'Say what is to be done: longhaul run "summarize the notebook"');
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  let all = '';
  for await (const piece of input.setEncoding('utf8')) all += piece;
  return all;
}
