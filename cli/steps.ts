import type { Step } from '../domain/run-events.ts';
import { everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { runId } from './run-id.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { figure, took } from './words.ts';

const WHAT_WIDTH = 70;
const PAGE = 500;

/** What a step is about, by the first of its fields that says it. */
function aboutStep({ content }: Step): string {
  const { name, text, question, message, preview, error, errors, arguments: given, result } = content;
  const called = typeof name === 'string' ? `${name} ` : '';
  const said = text || question || message || error || errors || given || result || preview;
  return `${called}${typeof said === 'string' ? said : (JSON.stringify(said) ?? '')}`;
}

function stepRows(steps: Step[]): string[] {
  const rows = steps.map((step) => [
    String(step.step_number),
    step.type,
    brief(aboutStep(step), WHAT_WIDTH),
    step.tokens_used === null ? '–' : figure(step.tokens_used),
    step.duration_ms === null ? '–' : took(step.duration_ms),
  ]);
  return tableLines(['STEP', 'TYPE', 'WHAT', 'TOKENS', 'TIME'], rows, [0, 3, 4]);
}

export async function stepsCommand(given: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const run = runId(given);
  const steps: Step[] = [];
  const pages = everyItem((cursor) => client.runs.steps(run, { limit: PAGE, ...(cursor ? { cursor } : {}) }));
  for await (const step of pages) {
    if (json) print(JSON.stringify(step));
    else steps.push(step);
  }
  if (json) return;
  if (steps.length === 0) print('This run has taken no step yet.');
  else for (const row of stepRows(steps)) print(row);
}

/** Asked of the run's model the first time, and kept. */
export async function explainCommand(given: string, step: string, { json = false }: { json?: boolean }): Promise<void> {
  const run = runId(given);
  const number = Number(step);
  if (!Number.isInteger(number) || number < 1) {
    throw new Trouble(`"${step}" is not the number of a step.`, `List them with: longhaul steps ${run}`);
  }
  const { client, print } = await openDesk({ json });
  const told = await client.runs.explain(run, number);
  if (json) print(JSON.stringify(told));
  else if ('text' in told) print(harmless(told.text));
  else print('It is still being explained. Ask again in a moment.');
}

/** Read by the run at its next turn. */
export async function steerCommand(given: string, words: string[]): Promise<void> {
  const run = runId(given);
  const content = words.join(' ').trim();
  if (content === '') throw new Trouble('There is nothing to say.', `Like this: longhaul steer ${run} "be brief"`);
  const { client, print } = await openDesk();
  await client.runs.message(run, content);
  print(`${run} reads it at its next turn. Watch it with: longhaul watch ${run}`);
}
