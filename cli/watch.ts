import { inputText } from '../domain/conversation.ts';
import { openDesk } from './desk.ts';
import { followToTheEnd } from './run.ts';
import { runId } from './run-id.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';
import { modelName } from './words.ts';

export async function watchCommand(id: string | undefined, { json = false }: { json?: boolean }): Promise<void> {
  const desk = await openDesk({ json });
  const { client, style } = desk;
  const run = id === undefined ? (await client.runs.list({ limit: 1 })).items[0] : await client.runs.get(runId(id));
  if (!run) throw new Trouble('There is no run yet.', 'Start one with: longhaul run "summarize the notebook"');
  await followToTheEnd(desk, run.id, json, [
    `${style('bold', harmless(run.agent_name))} ${style('dim', `· ${run.id}`)}`,
    style('dim', modelName(run.llm_model)),
    `${style('cyan', '»')} ${harmless(run.caller_name)}: ${harmless(inputText(run.input))}`,
  ]);
}
