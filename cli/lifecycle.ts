import type { ForkRun, ResumeRun } from '../domain/run-requests.ts';
import { type Desk, openDesk } from './desk.ts';
import { inputIn } from './json-input.ts';
import { followToTheEnd } from './run.ts';
import { runId } from './run-id.ts';
import { Trouble } from './trouble.ts';

interface Following {
  detach?: boolean;
  json?: boolean;
}

async function afterStart(
  desk: Desk,
  id: string,
  from: string,
  { detach = false, json = false }: Following,
): Promise<void> {
  if (detach) {
    if (json) desk.print(JSON.stringify(await desk.client.runs.get(id)));
    else for (const said of [`${id} goes on from ${from}.`, `Watch it with: longhaul watch ${id}`]) desk.print(said);
    return;
  }
  await followToTheEnd(desk, id, json, [desk.style('dim', `${id} goes on from ${from}`)]);
}

export async function resumeCommand(
  given: string,
  options: Following & { input?: string; fromStep?: string },
): Promise<void> {
  const from = runId(given);
  const desk = await openDesk({ json: options.json ?? false });
  const body: ResumeRun = {
    override_input: options.input === undefined ? undefined : inputIn(options.input),
    ...(options.fromStep === undefined ? {} : { from_step: options.fromStep }),
  };
  const { id } = await desk.client.runs.resume(from, body);
  await afterStart(desk, id, from, options);
}

export interface ForkOptions extends Following {
  step?: string;
  fromStep?: string;
  input?: string;
  model?: string;
  prompt?: string;
}

function stepNumber(run: string, given: string | undefined): number {
  const see = `See its steps: longhaul steps ${run}`;
  if (given === undefined) throw new Trouble('Say where with --step, or of a workflow with --from-step.', see);
  const step = Number(given);
  if (!Number.isInteger(step) || step < 0) {
    throw new Trouble(`--step takes the number of a step, not "${given}".`, see);
  }
  return step;
}

export async function forkCommand(given: string, options: ForkOptions): Promise<void> {
  const from = runId(given);
  const desk = await openDesk({ json: options.json ?? false });
  const input = options.input === undefined ? undefined : inputIn(options.input);
  const body: ForkRun = {
    ...(options.fromStep === undefined
      ? { step: stepNumber(from, options.step), input }
      : { from_step: options.fromStep, override_input: input }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.prompt === undefined ? {} : { system_prompt: options.prompt }),
  };
  const { id } = await desk.client.runs.fork(from, body);
  await afterStart(desk, id, from, options);
}

export async function pauseCommand(given: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await client.runs.pause(runId(given));
  print(`${id} is paused. Let it go on with: longhaul unpause ${id}`);
}

export async function unpauseCommand(given: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await client.runs.unpause(runId(given));
  print(`${id} goes on. Watch it with: longhaul watch ${id}`);
}
