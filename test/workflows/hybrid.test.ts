import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Run } from '../../domain/run.ts';
import type { Script } from '../doubles/scripted-model.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import { AGENT } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';

const LOCAL = 'openai-compatible/small';
const REMOTE = 'gpt-test';

let system: Served;
let edits: ReturnType<typeof editing>;
beforeAll(async () => {
  system = await startServed();
  edits = editing(system);
  await edits.lay({ 'h/a.md': 'one\n' });
});
afterAll(() => system.stop());

async function newAgent(more: object = {}): Promise<Agent> {
  const { body } = await system.call('POST', '/api/v1/agents', {
    body: {
      ...AGENT,
      workspace_id: system.workspace.id,
      name: 'Hybrid',
      agent_mode: 'hybrid_auto',
      local_model: LOCAL,
      remote_model: REMOTE,
      ...more,
    },
  });
  return body;
}

interface Case {
  script: Script;
  agent?: object;
  /** What the run is started with. */
  run?: object;
  /** As a job that proposes edits, which may make so many tool calls. */
  calls?: number;
}

async function ended({ script, agent, run, calls }: Case, name: string): Promise<Run> {
  system.model.script(name, script);
  const { id: agent_id } = await newAgent(agent);
  if (calls !== undefined) {
    const session = await edits.open({ agent_id });
    const job = await edits.start(session, name, { tool_config: { max_tool_calls: calls } });
    return system.until(job, ({ status }) => status === 'awaiting_review' || status === 'failed');
  }
  const input = `[script:${name}] Do it.`;
  const wanted = { agent_id, notebook_id: system.notebook.id, input, wait: 30, ...run };
  return (await system.call('POST', '/api/v1/runs', { body: wanted })).body;
}

async function choices({ id }: Run): Promise<unknown[]> {
  const { body } = await system.call('GET', `/api/v1/runs/${id}/events`);
  const events: { type: string; data: Record<string, unknown> }[] = body.events;
  return events
    .filter(({ type }) => type === 'provider.selected')
    .map(({ data: { mode, model, side, reason, trigger } }) => ({ mode, model, side, reason, trigger }));
}

const chosen = (reason: string, trigger: string | null = null, mode = 'hybrid_auto') => {
  const side = reason === 'fallback' || reason === 'mode_remote' ? 'remote' : 'local';
  return { mode, model: side === 'remote' ? REMOTE : LOCAL, side, reason, trigger };
};

const wrong = propose(replaceLine('h/a.md', 1, 'not what is there', 'ONE'));
const right = propose(replaceLine('h/a.md', 1, 'one', 'ONE'));
const shapeless = { text: 'x', tool_calls: [{ name: 'propose_edits', arguments: { edits: 'none' } }] };
const look = { tool_calls: [{ name: 'list_files' }] };
const overflow = { fault: '400', code: 'context_length_exceeded', message: 'too long' } as const;
const afar = { text: 'From afar.' };
const schema = { output_schema: { age: { type: 'integer' } } };

const TRIGGERS: [string, Case][] = [
  ['local_failed', { script: [[{ fault: '400', message: 'no' }, afar]] }],
  ['context_overflow', { script: [[overflow, afar]] }],
  ['timeout', { script: [[{ fault: 'hang' }, afar]], agent: { hybrid_remote_on_timeout_ms: 200 } }],
  [
    'local_attempts_used_up',
    { script: [[{ fault: '503' }, { fault: '503' }, afar]], agent: { hybrid_max_local_attempts: 2 } },
  ],
  ['schema_failures', { script: [{ text: 'old' }, { text: 'older' }, { text: '{"age": 7}' }], run: schema }],
  ['schema_failures', { script: [shapeless, shapeless, right], calls: 5 }],
  ['validation_failed', { script: [wrong, right], calls: 5 }],
  ['tool_budget_exhausted', { script: [look, look, right], calls: 1 }],
  ['tool_budget_exhausted', { script: [look, look, look, look, afar], agent: { max_iterations: 5 } }],
];

describe('[4] hybrid_auto', () => {
  it.each(TRIGGERS)(
    'goes to the remote model on %s (%#), does the rest there, and the trace says why',
    async (trigger, the) => {
      const name = `to remote ${trigger} ${TRIGGERS.findIndex(([, each]) => each === the)}`;
      const run = await ended(the, name);
      expect(run.error).toBeNull();
      expect(run).toMatchObject({ llm_model: REMOTE });
      expect(await choices(run)).toEqual([chosen('local_first'), chosen('fallback', trigger)]);
      const asked = system.model.callsOf(name).map(({ request }) => request.model);
      expect([asked[0], asked.at(-1)]).toEqual(['small', REMOTE]);
    },
  );

  it.each<[string, Case, string]>([
    ['local_failed', { script: [{ fault: '400', message: 'no' }] }, 'failed'],
    ['context_overflow', { script: [overflow] }, 'failed'],
    [
      'timeout',
      { script: [[{ fault: 'hang' }, { text: 'Late.' }]], agent: { hybrid_remote_on_timeout_ms: 200 } },
      'completed',
    ],
    ['validation_failed', { script: [wrong, right], calls: 5 }, 'awaiting_review'],
  ])(
    'stays local on %s where a fallback is forbidden, and says what it would have gone for',
    async (trigger, the, status) => {
      const name = `forbidden ${trigger}`;
      const run = await ended({ ...the, agent: { ...the.agent, hybrid_fallback_forbidden: true } }, name);
      expect(run).toMatchObject({ status, llm_model: LOCAL });
      expect(await choices(run)).toEqual([chosen('local_first'), chosen('fallback_forbidden', trigger)]);
      expect(new Set(system.model.callsOf(name).map(({ request }) => request.model))).toEqual(new Set(['small']));
    },
  );
});

describe('[4] the other modes', () => {
  it.each(['local', 'remote'] as const)('%s is in the trace too, once, and the run names its model', async (mode) => {
    const run = await ended({ script: [look, { text: 'Done.' }], agent: { agent_mode: mode } }, `mode ${mode}`);
    expect(run).toMatchObject({ status: 'completed', llm_model: mode === 'local' ? LOCAL : REMOTE });
    expect(await choices(run)).toEqual([chosen(`mode_${mode}`, null, mode)]);
  });
});

describe('[3] a limit in money', () => {
  const free = { agent_mode: 'remote', remote_model: null, model: LOCAL };
  const limit = { budget: { max_cost_usd: 1 } };

  it('is refused where any model the run may come to has no price, before anything starts', async () => {
    const { id: agent_id } = await newAgent();
    const body = { agent_id, input: 'x', ...limit };
    expect(await system.call('POST', '/api/v1/runs', { body })).toMatchObject({
      status: 400,
      body: { error: 'unknown_price', details: { model: REMOTE } },
    });
    expect(await newAgent({ max_cost_usd: 1 })).toMatchObject({ error: 'unknown_price' });
    const parent = await ended({ script: [{ text: 'Done.' }], agent: free, run: limit }, 'priced');
    const fork = { step: 0, model: REMOTE, ...limit };
    expect(await system.call('POST', `/api/v1/runs/${parent.id}/fork`, { body: fork })).toMatchObject({
      status: 400,
      body: { error: 'unknown_price' },
    });
  });

  it('holds below: a child whose model has no price makes no call', async () => {
    const child = await newAgent({ name: 'Priceless', slug: 'priceless', agent_mode: 'remote', model: REMOTE });
    const hand = { name: 'delegate_to_priceless', arguments: { task: '[script:never] Do it.' } };
    const run = await ended(
      {
        script: [{ tool_calls: [hand] }, { text: 'It could not.' }],
        agent: { ...free, delegated_agents: [{ agent_id: child.id }] },
        run: limit,
      },
      'above priceless',
    );
    expect(run).toMatchObject({ status: 'completed', output: 'It could not.' });
    const { body } = await system.call('GET', `/api/v1/runs?parent_run_id=${run.id}`);
    expect(body.items).toMatchObject([{ status: 'failed', error: { code: 'unknown_price' }, iterations_used: 0 }]);
  });
});
