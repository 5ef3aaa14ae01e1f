import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../domain/run.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { Answer, Script } from '../stub-model.ts';
import type { Product } from './product.ts';

/** The kinds of work under way while things are struck. */
export const KINDS = ['read', 'make', 'ask', 'command', 'tree', 'flow', 'cancel'] as const;
export type Kind = (typeof KINDS)[number];

const WORDS = 'Words come one after the other, so that a blow can fall between them.';
const PACE_MS = 20;
const READS: Partial<Record<string, number>> = { read: 8, child: 3, cancel: 40 };

const says = (tool?: Answer['tool']): Answer => ({ content: WORDS, pace_ms: PACE_MS, ...(tool ? { tool } : {}) });

/** What the model does at each turn of a job, which is named by its first message: `make 17`. */
export const script: Script = (job, turn) => {
  const [kind = '', n = ''] = job.split(' ');
  const reads = READS[kind] ?? 0;
  if (turn < reads) return says({ name: 'read_file', arguments: { path: 'small.txt' } });
  if (kind === 'tree' && turn < 2) {
    return says({ name: 'delegate_to_worker', arguments: { task: `child ${n}.${turn}` } });
  }
  if (turn > 0) return says();
  switch (kind) {
    case 'make':
      return says({ name: 'create_file', arguments: { path: madeBy(job), content: contentOf(job) } });
    case 'ask':
      return says({ name: 'clarify_user', arguments: { question: `Which one for ${job}?` } });
    case 'command':
      return says({ name: 'command', arguments: { operation: 'run', args: { command: appends(job) } } });
    default:
      return says();
  }
};

const madeBy = (job: string): string => `/made/${job.replace(' ', '-')}.md`;
const contentOf = (job: string): string => `Made by ${job}, once.\n`;
/** Done twice it would show: two lines. */
const appends = (job: string): string => `printf '%s\\n' 'by ${job}' >> .${madeBy(job)}`;

interface Cast {
  workspace_id: string;
  notebook_id: string;
  worker: string;
  lead: string;
  flow: string;
}

/** A workspace with a notebook, two agents and a workflow, made through the API as anybody would. */
export async function makeCast({ client, root }: Product): Promise<Cast> {
  const { id: workspace_id } = await client.workspaces.create({ name: 'Chaos' });
  const notebook = await client.notebooks.create({ workspace_id, name: 'Chaos', kind: 'folder', path: root });
  const common = {
    workspace_id,
    model: 'openai-compatible/stub',
    scope: { notebooks: ['*'] },
    visibility: 'workspace' as const,
    max_iterations: 1_000,
    max_token_budget: 100_000_000,
    max_requests_per_hour: null,
  };
  const rights = { can_create: true, can_execute_code: true, confirmation: { command: 'never' as const } };
  const worker = await client.agents.create({ ...common, ...rights, name: 'Worker' });
  const lead = await client.agents.create({ ...common, name: 'Lead', delegated_agents: [{ agent_id: worker.id }] });
  const flow = await client.workflows.create({
    workspace_id,
    name: 'Chaos',
    steps: [
      { id: 'look', type: 'tool', tool: 'read_file', input_mapping: { path: 'small.txt' } },
      { id: 'go', type: 'approval', message: 'Go on with {{ input.job }}?' },
      { id: 'think', type: 'agent', agent_id: worker.id, input_mapping: 'child {{ input.job }}' },
      {
        id: 'make',
        type: 'tool',
        tool: 'create_file',
        input_mapping: { path: '{{ input.path }}', content: '{{ input.content }}' },
      },
    ],
  });
  return { workspace_id, notebook_id: notebook.id, worker: worker.id, lead: lead.id, flow: flow.id };
}

export async function startJob({ client }: Product, cast: Cast, kind: Kind, job: string): Promise<string> {
  const { notebook_id } = cast;
  if (kind === 'flow') {
    const input = { job, path: madeBy(job), content: contentOf(job) };
    return (await client.runs.start({ workflow_id: cast.flow, notebook_id, input })).id;
  }
  const agent_id = kind === 'tree' ? cast.lead : cast.worker;
  return (await client.runs.start({ agent_id, notebook_id, input: job })).id;
}

/** What it should have come to and has not. `events` are those of the run and of all it was resumed as. */
export function shortcomingsOf({ root }: Product, kind: Kind, job: string, run: Run, events: RunEvent[]): string[] {
  const wanted = kind === 'cancel' ? ['cancelled', 'completed'] : ['completed'];
  const flaws = wanted.includes(run.status) ? [] : [`${run.status}: ${run.error?.message ?? 'no error'}`];
  const made = join(root, madeBy(job));
  const text = existsSync(made) ? readFileSync(made, 'utf8') : '';
  if ((kind === 'make' || kind === 'flow') && text !== contentOf(job)) flaws.push(`${made} holds "${text}"`);
  if (kind === 'command') {
    const isDone = events.some(({ type, data }) => type === 'tool.completed' && data.ok === true);
    const times = text.split('\n').length - 1;
    // Where it was cut off it may have happened or not, and the model was told; twice it must never happen.
    if (times > 1 || (isDone && times !== 1)) flaws.push(`the command ran ${times} times`);
  }
  return flaws;
}
