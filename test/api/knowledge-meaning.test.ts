import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEmbedder } from '../../activities/models/embedder.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { KnowledgeUpkeep } from '../../workers/knowledge-upkeep.ts';
import { EmbeddingServer } from '../doubles/embedding-server.ts';
import { AGENT, quiet } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';

let server: EmbeddingServer;
let system: Served;
beforeAll(async () => {
  server = await EmbeddingServer.start();
  const settings = { gemini_api_key: 'a-key-of-some-length', gemini_base_url: server.url };
  const embedder = createEmbedder({ provider: 'gemini', model: 'gemini-embedding-001' }, settings, (text) => text);
  system = await startServed({ embedder }, { embeddingModel: embedder.model });
  const { status } = await system.call('POST', '/knowledge', {
    body: {
      workspace_id: system.workspace.id,
      name: 'Garage',
      content_type: 'text/plain',
      content: 'The automobile was mended.',
    },
  });
  expect(status).toBe(201);
  await new KnowledgeUpkeep(embedder, quiet).once();
});
afterAll(async () => {
  await system.stop();
  await server.close();
});
beforeEach(() => {
  server.calls.length = 0;
});

const search = (q: string) => system.call('GET', `/knowledge/search?q=${encodeURIComponent(q)}`);

it('[3] a search over HTTP finds by meaning, through a worker, and asks the model once for the same query', async () => {
  const { status, body } = await search('car repaired');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    results: [{ source: 'Garage', start_line: 1, line: 1 }],
    ranking: 'words_and_meaning',
    ranking_reason: null,
  });
  expect((await search('car repaired')).body).toEqual(body);
  expect(server.calls.map(({ texts, task }) => [texts, task])).toEqual([[['car repaired'], 'RETRIEVAL_QUERY']]);
});

it('[3] neither query nor vector goes through the history of a workflow', async () => {
  await search('vehicle fixed');
  const [kept] = await nativeCollection('knowledge_queries').find({ text: 'vehicle fixed' }).toArray();
  const history = await system.client.workflow.getHandle(`knowledge-query:${kept?._id}`).fetchHistory();
  const told = (history.events ?? []).flatMap((event) => [
    ...(event.workflowExecutionStartedEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskScheduledEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
    ...(event.workflowExecutionCompletedEventAttributes?.result?.payloads ?? []),
  ]);
  const texts = told.map(({ data }) => Buffer.from(data ?? []).toString());
  expect(texts).toContain('{"is":"embedded"}');
  expect(texts.join()).not.toContain('vehicle');
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(200);
});

it('[3] a provider that is away leaves the words, and the answer says so', async () => {
  server.faults.push({ status: 503, body: { error: { code: 503, message: 'away', status: 'UNAVAILABLE' } } });
  const { status, body } = await search('mended');
  expect(status).toBe(200);
  expect(body).toMatchObject({ results: [{ source: 'Garage' }], ranking: 'words' });
  expect(body.ranking_reason).toContain('gemini answered 503 away');
});

it('[3] search_knowledge finds by meaning in a run, and says how it found', async () => {
  const agent = await createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, knowledge_sources: ['*'] }),
    id: newId('agt'),
  });
  system.model.script('meaning', [
    { tool_calls: [{ name: 'search_knowledge', arguments: { query: 'car repaired' } }] },
    { text: 'Done.' },
  ]);
  const id = await system.start('meaning', { agent_id: agent.id });
  expect((await system.ended(id)).status).toBe('completed');
  const facts = (await entriesAfter(id, 0)).flatMap((entry) => entry.facts);
  expect(facts.find((fact) => fact.kind === 'tool_finished')).toMatchObject({
    ok: true,
    result: { results: [{ source: 'Garage', line: 1 }], ranking: 'words_and_meaning', ranking_reason: null },
  });
});
