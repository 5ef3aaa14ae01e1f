import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let workspace: string;
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
});
afterAll(() => api.stop());

async function newAgent(more: object = {}, workspace_id = workspace): Promise<{ id: string; org_id: string }> {
  const { body } = await api.call('POST', '/agents', {
    body: { workspace_id, name: 'Worker', model: 'gpt-4o', visibility: 'workspace', ...more },
  });
  return body;
}

/** Runs that have ended, with what a quote looks at. */
async function past(n: number, agent: { id: string }, usd: (n: number) => number, more: object = {}): Promise<void> {
  const me = (await api.call('GET', '/me')).body;
  const run = (k: number) => ({
    _id: newId('run'),
    org_id: me.organization.id,
    workspace_id: workspace,
    agent_id: agent.id,
    llm_model: 'gpt-4o',
    status: 'completed',
    relation: null,
    cost_usd: usd(k),
    tree: { iterations: 1, tokens: 100 * k, cost_usd: usd(k) },
    created_at: new Date(),
    ...more,
  });
  await nativeCollection<{ _id: string }>('runs').insertMany(Array.from({ length: n }, (_, k) => run(k + 1)));
}
const quote = async (agent: { id: string }, more: object = {}, token = api.ownerKey) =>
  api.call('POST', '/runs/quote', { token, body: { agent_id: agent.id, input: 'Do it.', ...more } });

describe('[15.12] a quote', () => {
  it('is a guess where nobody has any experience, and starts nothing', async () => {
    const agent = await newAgent();
    const { status, body } = await quote(agent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ currency: 'USD', basis: 'estimate', n: 0 });
    expect(body.p50_usd).toBeGreaterThan(0);
    expect(body.p90_usd).toBeGreaterThan(body.p50_usd);
    expect(body.worst_case_usd).toBeGreaterThan(body.p90_usd);
    expect((await api.call('GET', `/runs?agent_id=${agent.id}`)).body.items).toEqual([]);
  });

  it('rests on the past runs of the agent, whole ones that ended, else on those of its model', async () => {
    const [own, other] = [await newAgent(), await newAgent()];
    await past(19, own, (k) => k / 1000);
    await past(30, own, () => 9, { status: 'running' });
    await past(30, own, () => 9, { relation: 'delegation' });
    await past(30, own, () => 9, { llm_model: 'gpt-4o-mini' });
    await past(30, other, () => 0.5);
    expect((await quote(own)).body).toMatchObject({ basis: 'model', n: 49, p90_usd: 0.5 });
    await past(1, own, () => 0.02, { status: 'failed' });
    expect((await quote(own)).body).toMatchObject({
      basis: 'agent',
      n: 20,
      p50_usd: 0.011,
      p90_usd: 0.019,
      tokens: { p50: 1_000, p90: 1_800 },
    });
  });

  it('keeps to the limits that the run would have', async () => {
    const agent = await newAgent({ max_cost_usd: 0.5 });
    await past(20, agent, () => 0.3);
    expect((await quote(agent)).body).toMatchObject({ p90_usd: 0.3, worst_case_usd: 0.5 });
    const budget = { max_cost_usd: 0.1, max_token_budget: 1_500 };
    const { body } = await quote(agent, { budget });
    expect(body).toMatchObject({ tokens: { p90: 1_500 } });
    expect(body.worst_case_usd).toBeLessThan(0.1);
    expect(body.p90_usd).toBe(body.worst_case_usd);
  });

  it('counts with the dearest model that the work can come down to', async () => {
    const dear = await newAgent({ model: 'gpt-4', name: 'Dear' });
    const alone = (await quote(await newAgent())).body.worst_case_usd;
    const together = (await quote(await newAgent({ delegated_agents: [{ agent_id: dear.id }] }))).body.worst_case_usd;
    expect(together).toBeGreaterThan(alone);
  });

  it('costs nothing where nothing is charged, and says nothing where no price is known', async () => {
    expect((await quote(await newAgent({ model: 'demo/longhaul-demo' }))).body).toMatchObject({ p90_usd: 0 });
    const unknown = (await quote(await newAgent({ model: 'gpt-unheard-of' }))).body;
    expect(unknown).toMatchObject({ p50_usd: null, p90_usd: null, worst_case_usd: null });
    expect(unknown.tokens.p90).toBeGreaterThan(0);
  });

  it('is for who may start the agent, and takes what a start takes', async () => {
    const agent = await newAgent();
    expect((await quote(agent, {}, await api.foreignOwner())).status).toBe(404);
    expect((await quote(agent, { colour: 'red' })).status).toBe(400);
    expect((await quote(agent, { input: undefined })).status).toBe(400);
    const reader = await api.member(workspace, 'read');
    expect((await quote(agent, {}, reader.token)).status).toBe(200);
  });
});
