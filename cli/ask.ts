import { isCancel, select } from '@clack/prompts';
import type { z } from 'zod';
import type { Considered, Dispatched, dispatchBody, PlanStep } from '../domain/dispatch.ts';
import type { Client } from '../sdk/client.ts';
import { type Desk, openDesk } from './desk.ts';
import { followToTheEnd, instructionFrom } from './run.ts';
import { allAgents, notebookIn } from './run-target.ts';
import { brief, harmless, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { allWorkspaces, workspaceCalled } from './workspace-choice.ts';

export interface AskOptions {
  workspace?: string;
  notebook?: string;
  choose?: string[];
  execute?: boolean;
  detach?: boolean;
  json?: boolean;
}

type Body = z.input<typeof dispatchBody>;
type Chosen = NonNullable<Body['chosen']>;

const MOST_SHOWN = 100;
const percent = (confidence: number): string => `${Math.round(confidence * 100)} %`;

/** Where it is asked: as `longhaul run` does, what is to be done is done on the first folder. */
async function placeFor(client: Client, { workspace, notebook, execute }: AskOptions): Promise<Partial<Body>> {
  if (workspace === undefined && notebook === undefined && !execute) return {};
  const all = workspace === undefined ? await allWorkspaces(client) : [await workspaceCalled(client, workspace)];
  const where = all.find(({ role }) => role !== 'read') ?? all[0];
  if (!where) return {};
  const found = await notebookIn(client, { name: where.name, workspace_id: where.id }, notebook);
  return { workspace_id: where.id, ...(found ? { notebook_id: found.id } : {}) };
}

/** Agents by slug, name or id; what is none of them is the name of a tool. */
async function chosenFrom(client: Client, wanted: string[]): Promise<Chosen> {
  const agents = await allAgents(client);
  const found = wanted.map((name) => ({
    name,
    agent: agents.find((each) => [each.id, each.slug, each.name].includes(name)),
  }));
  return {
    tools: found.flatMap(({ name, agent }) => (agent ? [] : [name])),
    agents: found.flatMap(({ agent }) => (agent ? [agent.id] : [])),
  };
}

const asChosen = ({ type, name }: Considered): Chosen => (type === 'tool' ? { tools: [name] } : { agents: [name] });

/** Null where none of them is, and where there is nobody to ask. */
async function askWhich({ prompting }: Desk, { candidates }: Dispatched): Promise<Chosen | null> {
  if (prompting === null || candidates.length === 0) return null;
  const which = await select({
    message: 'Which one?',
    options: [
      ...candidates.map((each, n) => ({ value: n, label: harmless(each.title), hint: brief(each.reason, MOST_SHOWN) })),
      { value: -1, label: 'None of them' },
    ],
  });
  const candidate = isCancel(which) ? undefined : candidates[which];
  return candidate ? asChosen(candidate) : null;
}

function stepLine({ step, type, title, input, missing, depends_on }: PlanStep): string {
  const given = brief(typeof input === 'string' ? input : JSON.stringify(input), MOST_SHOWN);
  const after = depends_on.length > 0 ? ` (after ${depends_on.join(', ')})` : '';
  const lacks = missing.length > 0 ? `; still needs ${harmless(missing.join(', '))}` : '';
  return `  ${step}. ${type} ${harmless(title)}${after}: ${given}${lacks}`;
}

function decisionLines(decided: Dispatched, style: Style): string[] {
  const { routing_decision, execution_plan, candidates, decided_by, fallback_reason } = decided;
  const { confidence, reasoning, requires_disambiguation } = routing_decision;
  const names = candidates.filter(({ selected }) => selected).map(({ title }) => harmless(title));
  const by = { model: 'by the model', shortlist: 'by relevance', caller: 'as you chose' }[decided_by];
  const rows = candidates.map(({ title, type, confidence: likely, reason }) => [
    brief(title, 40),
    type,
    percent(likely),
    brief(reason, MOST_SHOWN),
  ]);
  return [
    `${style('bold', names.join(', ') || 'Nothing')} ${style('dim', `· ${percent(confidence)} sure, ${by}`)}`,
    harmless(reasoning),
    ...(fallback_reason === null ? [] : [style('dim', harmless(fallback_reason))]),
    ...execution_plan.map(stepLine),
    ...(requires_disambiguation && rows.length > 0
      ? ['It is not clear which one is meant:', ...tableLines(['NAME', 'KIND', 'LIKELY', 'WHY'], rows)]
      : []),
  ];
}

export async function askCommand(words: string[], options: AskOptions): Promise<void> {
  const { json = false, execute = false, detach = false, choose } = options;
  const query = await instructionFrom(words);
  const desk = await openDesk({ json });
  const { client, style, print } = desk;
  const body: Body = {
    query,
    execute,
    ...(await placeFor(client, options)),
    ...(choose ? { chosen: await chosenFrom(client, choose) } : {}),
  };
  const show = (decided: Dispatched) => {
    if (json) print(JSON.stringify(decided));
    else for (const line of decisionLines(decided, style)) print(line);
  };
  let decided = await client.dispatch(body);
  show(decided);
  if (decided.routing_decision.requires_disambiguation) {
    const chosen = await askWhich(desk, decided);
    if (chosen) {
      decided = await client.dispatch({ ...body, chosen });
      show(decided);
    }
  }
  if (!execute) return;
  const { run_id, not_executed } = decided;
  if (run_id === null) {
    if (!json) print(harmless(not_executed ?? 'Nothing was started.'));
    process.exitCode = 1;
    return;
  }
  if (!detach) return followToTheEnd(desk, run_id, json, [style('dim', run_id)]);
  if (json) print(JSON.stringify(await client.runs.get(run_id)));
  else for (const said of [`${run_id} has started.`, `Watch it with: longhaul watch ${run_id}`]) print(said);
}
