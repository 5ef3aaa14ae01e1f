import type { Quote } from '../domain/quote.ts';
import type { BudgetBody } from '../domain/run-requests.ts';
import { type Desk, openDesk } from './desk.ts';
import { EXIT_CODES, follow, settledRun } from './follow.ts';
import { jsonFrom } from './json-input.ts';
import { agentFor, notebookFor } from './run-target.ts';
import { wholeNumber } from './runs.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';
import { counted, dollars, modelName } from './words.ts';

export interface RunOptions {
  agent?: string;
  notebook?: string;
  maxIterations?: string;
  maxTokens?: string;
  maxCost?: string;
  maxDuration?: string;
  schema?: string;
  quote?: boolean;
  json?: boolean;
  detach?: boolean;
}

const MOST_ITERATIONS = 100_000;
const MOST_TOKENS = 1_000_000_000;
const MOST_SECONDS = 31_536_000;

export async function runCommand(words: string[], options: RunOptions): Promise<void> {
  const { json = false, detach = false } = options;
  const budget = budgetIn(options);
  const output_schema = options.schema === undefined ? undefined : await jsonFrom('schema', options.schema);
  const input = await instructionFrom(words);
  const desk = await openDesk({ json });
  const { client, style, print } = desk;
  const agent = await agentFor(client, options.agent);
  const notebook = await notebookFor(client, agent, options.notebook);
  const body = {
    agent_id: agent.id,
    input,
    ...(notebook ? { notebook_id: notebook.id } : {}),
    ...(budget ? { budget } : {}),
    ...(output_schema ? { output_schema } : {}),
  };
  if (options.quote) {
    const quote = await client.runs.quote(body);
    print(json ? JSON.stringify(quote) : quoteWords(quote));
    return;
  }
  const { id } = await client.runs.start(body);
  if (detach) {
    if (json) print(JSON.stringify(await client.runs.get(id)));
    else for (const said of [`${id} has started.`, `Watch it with: longhaul watch ${id}`]) print(said);
    return;
  }
  const where = notebook ? ` on ${harmless(notebook.name)}` : '';
  await followToTheEnd(desk, id, json, [
    `${style('bold', harmless(agent.name))}${where} ${style('dim', `· ${id}`)}`,
    style('dim', modelName(agent.model)),
  ]);
}

function budgetIn({ maxIterations, maxTokens, maxCost, maxDuration }: RunOptions): BudgetBody | undefined {
  const budget: BudgetBody = {};
  if (maxIterations !== undefined)
    budget.max_iterations = wholeNumber('max-iterations', maxIterations, MOST_ITERATIONS);
  if (maxTokens !== undefined) budget.max_token_budget = wholeNumber('max-tokens', maxTokens, MOST_TOKENS);
  if (maxDuration !== undefined) budget.max_duration = wholeNumber('max-duration', maxDuration, MOST_SECONDS);
  if (maxCost !== undefined) {
    const usd = Number(maxCost.replace(/^\$/, ''));
    if (!(usd > 0)) throw new Trouble(`--max-cost takes dollars, like 0.50, not "${maxCost}".`);
    budget.max_cost_usd = usd;
  }
  return Object.keys(budget).length > 0 ? budget : undefined;
}

function quoteWords({ p50_usd, p90_usd, n, basis }: Quote): string {
  if (p50_usd === null || p90_usd === null) return 'No price is known for this model.';
  if (p90_usd === 0) return 'It costs nothing: nobody charges for this model.';
  const from =
    basis === 'estimate' ? 'an estimate: there are too few past runs to go by' : `from ${counted(n, 'past run')}`;
  return `About ${dollars(p50_usd)}; nine of ten runs stay below ${dollars(p90_usd)} (${from}).`;
}

/** Leaves as the exit code how the run ended. */
export async function followToTheEnd(
  { client, style, prompting, print }: Desk,
  id: string,
  json: boolean,
  title: string[],
): Promise<void> {
  const outcome = await follow({ client, run: id, json, style, prompting, title });
  if (json && outcome !== 'left') print(JSON.stringify(await settledRun(client, id)));
  process.exitCode = EXIT_CODES[outcome];
}

export async function instructionFrom(words: string[]): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? await readAll(process.stdin) : words.join(' ');
  if (given.trim() !== '') return given;
  throw new Trouble('The instruction is empty.', 'Say what is to be done: longhaul run "summarize the notebook"');
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  let all = '';
  for await (const piece of input.setEncoding('utf8')) all += piece;
  return all;
}
