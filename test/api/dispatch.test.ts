import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labelledAnswer } from '../../bench/routing-set/labelled-model.ts';
import { QUERIES } from '../../bench/routing-set/queries.ts';
import { type Answer as Said, type StubModel, startStubModel } from '../../bench/stub-model.ts';
import type { Dispatched } from '../../domain/dispatch.ts';
import { type Answer, type Served, startServed } from '../served-system.ts';

/** By request, what the model says; what is not here it says from the labels, and of others that nothing fits. */
const scripted = new Map<string, object>();
/** What is to be said to a request only later. */
const held = new Map<string, Promise<void>>();
const asked: { request: string; candidates: { ref: string }[] }[] = [];
const NOTHING = { selected: [], order: 'parallel', confidence: 0.9, reasoning: 'Nothing fits.', alternatives: [] };

function say(message: string): Said {
  if (!message.startsWith('{')) return { content: `Done: ${message.slice(0, 200)}` };
  const question = JSON.parse(message) as (typeof asked)[number];
  asked.push(question);
  const labelled = QUERIES.find(({ query }) => query === question.request);
  const answer = scripted.get(question.request) ?? (labelled ? labelledAnswer(labelled) : NOTHING);
  const after = held.get(question.request);
  return { content: JSON.stringify(answer), ...(after ? { after } : {}) };
}

let model: StubModel;
let system: Served;
let workspace: string;
let [admin, ana, ben]: string[] = [];
const ids: Record<string, string> = {};
/** Without a model: relevance alone. */
let plain: string;

const as = (token: string | undefined) => ({ token: token ?? null });

beforeAll(async () => {
  model = await startStubModel(say);
  // Nobody waits that long; a machine under load may need it.
  system = await startServed({ modelUrl: model.url }, { dispatchMs: 30_000 });
  workspace = system.workspace.id;
  [admin, ana, ben] = await Promise.all((['admin', 'write', 'write'] as const).map((role) => system.member(role)));
  const tools = {
    doc_search: ['search_knowledge', 'Search the documents, handbooks and policies of the organization by meaning'],
    web_search: ['search_project', 'Search the public web for current information, news and prices'],
    extract_text: ['read_file', 'Extract text from a PDF, scan or image by OCR'],
  };
  for (const [name, [entrypoint, description]] of Object.entries(tools)) {
    const input = { query: { type: 'string' } };
    const body = { workspace_id: workspace, name, description, entrypoint: `builtin:${entrypoint}`, schema: { input } };
    const made = await system.call('POST', '/agents/tools', { ...as(admin), body });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
  }
  const agents: [string, string | undefined, string, string, object][] = [
    [
      'summarizer',
      admin,
      'Summarizer',
      'Reads long documents and writes a short summary of the key points',
      { visibility: 'workspace' },
    ],
    ['planner', ana, 'Trip planner', 'Plans journeys: trains, hotels and an itinerary', {}],
  ];
  for (const [key, token, name, description, more] of agents) {
    const scope = { notebooks: ['*'] };
    const body = { workspace_id: workspace, name, description, model: 'gpt-test', scope, ...more };
    const made = await system.call('POST', '/agents', { ...as(token), body });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    ids[key] = made.body.id;
  }
  plain = (await system.anotherApi({ builtinModels: { editor: 'gpt-test', dispatcher: undefined } })).url;
});
afterAll(async () => {
  await system.stop();
  model.close();
});

const ask = async (
  token: string | undefined,
  query: string,
  more: object = {},
): Promise<Omit<Answer, 'body'> & { body: Dispatched }> =>
  system.call('POST', '/dispatch', { ...as(token), body: { query, ...more } });

/** By relevance alone. */
async function askPlain(token: string | undefined, query: string, more: object = {}): Promise<Dispatched> {
  const reply = await fetch(`${plain}/api/v1/dispatch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, ...more }),
  });
  expect(reply.status).toBe(200);
  return reply.json();
}
const namedIn = ({ routing_decision: { selected_tools, selected_agents, alternatives } }: Dispatched) => [
  ...selected_tools,
  ...selected_agents,
  ...alternatives,
];
const settings = (token: string | undefined, body: object) =>
  system.call('PUT', '/me/settings', { ...as(token), body });

const POLICY = 'what does our travel policy say about hotel limits';
/** Of its own: those of the routing set that were held out of all tuning are in no test. */
const NEWS = 'search the public web for news about our town';
const TRIP = 'plan a journey with trains and hotels';

describe('REQ-001 the dispatcher, by relevance alone', () => {
  it('selects tools and agents with confidence, reasons and a plan, and says that no model decided', async () => {
    const docs = await askPlain(ana, 'search our documents for the data retention policy');
    expect(docs).toMatchObject({
      routing_decision: { selected_tools: ['doc_search'], selected_agents: [], requires_disambiguation: false },
      execution_plan: [{ step: 1, type: 'tool', name: 'doc_search', input: { query: expect.any(String) } }],
      decided_by: 'shortlist',
      fallback_reason: expect.stringContaining('LONGHAUL_DISPATCHER_MODEL'),
      run_id: null,
    });
    expect(docs.routing_decision.confidence).toBeGreaterThanOrEqual(0.7);
    expect(docs.routing_decision.reasoning).toContain('“documents”');
    expect((await askPlain(ana, NEWS)).routing_decision.selected_tools).toEqual(['web_search']);
    const trip = await askPlain(ana, TRIP);
    expect(trip.routing_decision.selected_agents).toEqual([ids.planner]);
    expect(trip.execution_plan).toMatchObject([
      { type: 'agent', name: ids.planner, title: 'Trip planner', input: TRIP },
    ]);
  });

  it('shows nobody what they do not see: personal agents of others, other workspaces, the dispatcher itself', async () => {
    const mine = await askPlain(ana, TRIP);
    expect(namedIn(mine)).toContain(ids.planner);
    for (const token of [ben, admin]) expect(namedIn(await askPlain(token, TRIP))).not.toContain(ids.planner);
    const stranger = await askPlain(await system.foreigner(), `${TRIP} and search our documents`);
    expect(namedIn(stranger).filter((name) => /agt_|doc_search/.test(name))).toEqual([]);
    const self = await askPlain(ana, 'decide which tools and agents a request is handed to');
    expect(self.candidates.map(({ title }) => title)).not.toContain('Dispatcher');
    const elsewhere = await system.call('POST', '/dispatch', {
      ...as(await system.foreigner()),
      body: { query: 'x', workspace_id: workspace },
    });
    expect(elsewhere.status).toBe(404);
  });

  it('offers nothing that changes anything to who only reads', async () => {
    const reader = await system.member('read');
    expect(namedIn(await askPlain(reader, 'delete the file notes.md'))).not.toContain('delete_file');
    expect(namedIn(await askPlain(ana, 'delete the file notes.md'))).toContain('delete_file');
  });

  it('goes by attachments', async () => {
    const query = 'what does this say';
    const attachments = [{ name: 'scan.pdf', type: 'application/pdf', url: 'https://files.example/scan.pdf' }];
    const { routing_decision } = await askPlain(ana, query, { attachments });
    expect([...routing_decision.selected_tools, ...routing_decision.alternatives][0]).toBe('extract_text');
  });

  it('goes by the examples that tools and agents have, as soon as they have them', async () => {
    const query = 'will I need an umbrella in Lisbon';
    expect(namedIn(await askPlain(ana, query))).not.toContain('sky');
    const input = { query: { type: 'string' } };
    const body = { workspace_id: workspace, name: 'sky', entrypoint: 'builtin:search_project', schema: { input } };
    const made = await system.call('POST', '/agents/tools', { ...as(ana), body });
    expect(made.body.examples).toEqual([]);
    expect(namedIn(await askPlain(ana, query))).not.toContain('sky');
    const examples = ['do I need an umbrella today', 'how warm will it be in Lisbon'];
    const path = `/agents/tools/${made.body.id}`;
    expect((await system.call('PUT', path, { ...as(ana), body: { examples } })).body).toMatchObject({ examples });
    expect((await askPlain(ana, query)).routing_decision.selected_tools).toEqual(['sky']);
    await system.call('DELETE', path, as(ana));
    await system.call('PUT', `/agents/${ids.planner}`, { ...as(ana), body: { examples } });
    expect((await askPlain(ana, query)).routing_decision.selected_agents).toEqual([ids.planner]);
    await system.call('PUT', `/agents/${ids.planner}`, { ...as(ana), body: { examples: [] } });
  });

  it('gives alternatives and asks below 0.7', async () => {
    const vague = await askPlain(ana, 'search');
    expect(vague.routing_decision).toMatchObject({ requires_disambiguation: true });
    expect(vague.routing_decision.confidence).toBeLessThan(0.7);
    expect(vague.routing_decision.alternatives.length).toBeGreaterThan(0);
    const offered = vague.candidates.filter(({ selected }) => !selected);
    expect(offered.map(({ name }) => name)).toEqual(vague.routing_decision.alternatives);
    expect(offered.every(({ reason, confidence }) => reason !== '' && confidence < 0.7)).toBe(true);
    const started = await askPlain(ana, 'search', { execute: true });
    expect(started).toMatchObject({ run_id: null, not_executed: expect.stringContaining('choose') });
  });
});

describe('REQ-001 settings', () => {
  it('are everybody’s own, and all is on until somebody says otherwise', async () => {
    const fresh = await system.member('write');
    const all = { enabled_tools: null, enabled_agents: null };
    expect((await system.call('GET', '/me/settings', as(fresh))).body).toEqual(all);
    const few = { enabled_tools: ['web_search'], enabled_agents: [] };
    expect((await settings(fresh, few)).body).toEqual(few);
    expect((await system.call('GET', '/me/settings', as(fresh))).body).toEqual(few);
    expect((await system.call('GET', '/me/settings', as(ben))).body).toEqual(all);
    expect((await settings(fresh, {})).body).toEqual(all);
    expect((await settings(fresh, { enabled_tools: 'web_search' })).status).toBe(400);
    expect((await settings(fresh, { theme: 'dark' })).status).toBe(400);
  });

  it('are kept where they are set for the first time by several at once', async () => {
    const fresh = await system.member('write');
    const few = { enabled_tools: ['web_search'], enabled_agents: [] };
    const replies = await Promise.all(Array.from({ length: 20 }, () => settings(fresh, few)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await system.call('GET', '/me/settings', as(fresh))).body).toEqual(few);
  });

  it('are strictly honoured together with what is available and what the request narrows', async () => {
    const someone = await system.member('write');
    await settings(someone, { enabled_tools: ['web_search', 'read_file'], enabled_agents: [] });
    for (const query of [POLICY, NEWS, 'search', 'summarize this document', 'do it']) {
      const named = namedIn(await askPlain(someone, query));
      expect(named.filter((name) => !['web_search', 'read_file'].includes(name))).toEqual([]);
    }
    const narrowed = await askPlain(someone, 'search the web or read the file', {
      available_tools: ['web_search', 'doc_search'],
      user_settings: { enabled_tools: ['read_file', 'web_search'] },
    });
    expect(narrowed.candidates.map(({ name }) => name)).toEqual(['web_search']);
    const none = await askPlain(someone, NEWS, { available_tools: [] });
    expect([none.candidates, none.execution_plan]).toEqual([[], []]);
    const chosen = { tools: ['doc_search'] };
    const refused = await ask(someone, POLICY, { chosen, execute: true });
    expect([refused.status, refused.body.run_id]).toEqual([404, undefined]);
  });
});

describe('REQ-001 the model', () => {
  it('decides among what is allowed, in a run of the built-in agent', async () => {
    const { body } = await ask(ben, POLICY);
    expect(body).toMatchObject({
      routing_decision: { selected_tools: ['doc_search'], requires_disambiguation: false },
      decided_by: 'model',
      fallback_reason: null,
      dropped: [],
    });
    const run = await system.call('GET', `/runs/${body.decision_run_id}`, as(ben));
    expect(run.body).toMatchObject({ status: 'completed', agent_name: 'Dispatcher', iterations_used: 1 });
    const agents = (await system.call('GET', `/agents?workspace_id=${workspace}&limit=100`, as(ben))).body.items;
    const builtin = agents.filter((each: { is_builtin: boolean }) => each.is_builtin);
    expect(builtin).toMatchObject([{ slug: 'dispatcher', name: 'Dispatcher', model: 'gpt-test' }]);
  });

  it('is asked in a run that only its caller and the owner see: it names what others may not', async () => {
    const { body } = await ask(ana, TRIP);
    const id = String(body.decision_run_id);
    const own = await system.call('GET', `/runs/${id}`, as(ana));
    expect(JSON.stringify(own.body.input)).toContain('Trip planner');
    expect((await system.call('GET', `/runs/${id}`)).status).toBe(200);
    for (const token of [ben, admin]) {
      for (const path of ['', '/steps', '/events', '/tree']) {
        expect((await system.call('GET', `/runs/${id}${path}`, as(token))).status).toBe(404);
      }
      const listed = await system.call('GET', `/runs?workspace_id=${workspace}&limit=100`, as(token));
      expect(JSON.stringify(listed.body)).not.toContain('Trip planner');
    }
  });

  it('is not taken at its word where another fits the words clearly: people are asked, and offered that one', async () => {
    // Who plans journeys and hotels is ana's alone.
    const { routing_decision, decided_by } = (await ask(ana, POLICY)).body;
    expect(decided_by).toBe('model');
    expect(routing_decision).toMatchObject({ selected_tools: ['doc_search'], requires_disambiguation: true });
    expect(routing_decision.alternatives).toContain(ids.planner);
  });

  it('never breaks the rules, also where it names what is off or not to be seen', async () => {
    const someone = await system.member('write');
    await settings(someone, { enabled_tools: ['web_search'], enabled_agents: [] });
    const query = 'search everything about the policy';
    scripted.set(query, {
      ...NOTHING,
      selected: ['doc_search', ids.planner, 'Summarizer', 'web_search', 'rm'].map((ref) => ({ ref, arguments: '' })),
      alternatives: [ids.summarizer, 'write_file'],
      confidence: 1,
    });
    const { body } = await ask(someone, query, { execute: true });
    expect(body.decided_by).toBe('model');
    expect(body.candidates.map(({ name }) => name)).toEqual(['web_search']);
    expect(body.dropped).toEqual(['doc_search', ids.planner, 'Summarizer', 'rm']);
    expect(body.routing_decision.reasoning).toContain('doc_search');
    expect(body).toMatchObject({ run_id: null, routing_decision: { requires_disambiguation: true } });
    const offered = asked.find(({ request }) => request === query)?.candidates.map(({ ref }) => ref);
    expect(offered).toEqual(['web_search']);
    // From the labels: what they name is off for this user, and so nothing of it is left.
    const labelled = await ask(someone, POLICY);
    expect(namedIn(labelled.body).filter((name) => name !== 'web_search')).toEqual([]);
    expect(labelled.body.dropped).toEqual(['doc_search']);
  });

  it('is not waited for longer than it may take: relevance decides, says so, and the run is given up', async () => {
    const impatient = await system.anotherApi({ dispatchMs: 300 });
    let release = () => {};
    held.set(
      NEWS,
      new Promise((done) => {
        release = done;
      }),
    );
    const reply = await fetch(`${impatient.url}/api/v1/dispatch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ana}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: NEWS }),
    });
    const body = (await reply.json()) as Dispatched;
    expect(body).toMatchObject({
      routing_decision: { selected_tools: ['web_search'] },
      decided_by: 'shortlist',
      fallback_reason: expect.stringContaining('in time'),
    });
    await expect
      .poll(async () => (await system.call('GET', `/runs/${body.decision_run_id}`, as(ana))).body.status, {
        timeout: 15_000,
      })
      .toBe('cancelled');
    release();
    held.delete(NEWS);
  });

  it('whose answer cannot be read is not believed', async () => {
    const query = 'search the web for odd things';
    scripted.set(query, { selected: 'everything' });
    const { body } = await ask(ana, query);
    expect(body).toMatchObject({ decided_by: 'shortlist', fallback_reason: expect.any(String) });
    expect(body.routing_decision.selected_tools).toEqual(['web_search']);
  });
});

describe('REQ-001 a plan that is executed', () => {
  const notebook = () => ({ notebook_id: system.notebook.id });

  it('is one run, step after step, each with what came before', async () => {
    const query = 'read notes.md and then have it summarized';
    scripted.set(query, {
      ...NOTHING,
      selected: [
        { ref: 'read_file', arguments: '{"path":"/notes.md"}' },
        { ref: 'Summarizer', arguments: 'Sum up {{ input }} in a line.' },
      ],
      order: 'sequence',
      confidence: 0.99,
    });
    const { body } = await ask(ana, query, { execute: true, ...notebook() });
    expect([body.not_executed, body.routing_decision.selected_agents]).toEqual([null, [ids.summarizer]]);
    const run = await system.ended(String(body.run_id));
    expect(run).toMatchObject({
      status: 'completed',
      trigger_type: 'chat',
      trigger_source: expect.stringContaining('dispatch'),
    });
    expect(run.output).toContain('Sum up {{ input }} in a line.');
    expect(run.output).toContain('The first line.');
    expect(Object.keys(run.workflow_state?.steps ?? {})).toEqual(['step_1', 'step_2']);
  });

  it('waits for a person before it changes anything, and runs what is independent at once', async () => {
    const query = 'note the time, and read the notes';
    scripted.set(query, {
      ...NOTHING,
      selected: [
        { ref: 'write_file', arguments: '{"path":"/time.md","content":"now"}' },
        { ref: 'read_file', arguments: '{"path":"/notes.md"}' },
      ],
      confidence: 0.99,
    });
    const { body } = await ask(ana, query, { execute: true, ...notebook() });
    expect(body.not_executed).toBeNull();
    const run = await system.until(String(body.run_id), ({ pending_actions }) => pending_actions.length > 0);
    expect(run.pending_actions).toMatchObject([{ type: 'write_file', path: '/time.md' }]);
    await system.call('POST', `/runs/${run.id}/cancel`, as(ana));
    await system.ended(run.id);
  });

  it('is run as it was shown: nothing is decided a second time', async () => {
    const query = 'read the notes twice';
    const read = { ref: 'read_file', arguments: '{"path":"/notes.md","end_line":1}' };
    const list = { ref: 'list_files', arguments: '{}' };
    scripted.set(query, { ...NOTHING, selected: [read, list], confidence: 0.99 });
    const { execution_plan } = (await ask(ana, query, notebook())).body;
    const before = asked.length;
    scripted.set(query, NOTHING);
    const { body } = await ask(ana, query, { execution_plan, execute: true, ...notebook() });
    expect(asked.length).toBe(before);
    expect(body).toMatchObject({ decided_by: 'caller', not_executed: null, decision_run_id: null, execution_plan });
    const run = await system.ended(String(body.run_id));
    expect(run).toMatchObject({
      status: 'completed',
      input: { inputs: { step_1: { path: '/notes.md', end_line: 1 } } },
    });
    expect(Object.keys(run.workflow_state?.steps ?? {})).toEqual(expect.arrayContaining(['all', 'step_1', 'step_2']));
  });

  it('is held to what may be used here and to what can be run, also where somebody sends one of their own', async () => {
    const step = { step: 1, type: 'tool', name: 'read_file', input: { path: '/notes.md' } };
    const send = (execution_plan: object[], more: object = {}) =>
      ask(ana, 'x', { execution_plan, execute: true, ...notebook(), ...more });
    expect((await send([step], { available_tools: [] })).status).toBe(404);
    expect((await send([{ ...step, type: 'agent', name: 'agt_of_others', input: 'x' }])).status).toBe(404);
    expect((await send([{ ...step, input: {} }])).body).toMatchObject({
      run_id: null,
      not_executed: expect.stringContaining('path'),
    });
    const taking = { step: 2, type: 'tool', name: 'write_file', depends_on: [1], takes: { content: 1 } };
    for (const [wrong, field] of [
      [{ ...step, step: 2 }, '0.step'],
      [{ ...step, input: 'words' }, '0.input'],
      [{ ...step, depends_on: [1] }, '0.depends_on'],
      [{ ...step, takes: { path: 1 } }, '0.takes'],
      [{ ...step, after: 1 }, '0.after'],
    ] as const) {
      const refused = await send([wrong]);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { details: { fields: { [`execution_plan.${field}`]: expect.any(String) } } },
      ]);
    }
    const expressions = { '"] }} {{ input': '' };
    expect((await send([step, { ...taking, input: expressions }])).status).toBe(400);
  });

  it('is gone on with by who asked for it, and by nobody who could not have', async () => {
    const query = 'read a file that is not there, then plan';
    scripted.set(query, {
      ...NOTHING,
      selected: [
        { ref: 'read_file', arguments: '{"path":"/nowhere.md"}' },
        { ref: ids.planner, arguments: 'Plan it.' },
      ],
      order: 'sequence',
      confidence: 0.99,
    });
    const { body } = await ask(ana, query, { execute: true, ...notebook() });
    expect(await system.ended(String(body.run_id))).toMatchObject({ status: 'failed' });
    const resume = (token: string | undefined) =>
      system.call('POST', `/runs/${body.run_id}/resume`, { ...as(token), body: {} });
    expect((await resume(ben)).status).toBe(404);
    const again = await resume(ana);
    expect(again.status).toBe(202);
    await system.ended(again.body.id);
  });

  it('is begun from what a person has chosen, agent or tool', async () => {
    const agent = await ask(ana, 'search', { chosen: { agents: [ids.planner] }, execute: true });
    expect(agent.body).toMatchObject({ decided_by: 'caller', routing_decision: { confidence: 1 }, not_executed: null });
    const run = await system.ended(String(agent.body.run_id));
    expect(run).toMatchObject({ status: 'completed', agent_id: ids.planner, output: 'Done: search' });
    const lacking = await ask(ana, 'search', { chosen: { tools: ['read_file'] }, execute: true });
    expect(lacking.body).toMatchObject({ run_id: null, not_executed: expect.stringContaining('path') });
  });

  it('counts what was said in the session before', async () => {
    const session = await system.call('POST', `/agents/${ids.summarizer}/sessions`, { ...as(ana), body: {} });
    const { id } = session.body;
    await system.call('POST', `/sessions/${id}/message`, {
      ...as(ana),
      body: { content: 'I was reading the news on the public web', wait: 20 },
    });
    await ask(ana, 'search for more', { session_id: id });
    const question = asked.at(-1) as unknown as { earlier_messages: string[] };
    expect(question.earlier_messages[0]).toContain('public web');
    expect((await ask(await system.foreigner(), 'x', { session_id: id })).status).toBe(404);
  });
});
