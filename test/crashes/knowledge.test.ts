import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { disconnectStore, nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { addSource, sourceCollection } from '../../store/knowledge.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { EmbeddingServer } from '../doubles/embedding-server.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';
import { SECRET_KEY } from '../running-system.ts';

const WORKER = fileURLToPath(new URL('../../dist/workers/agent-worker.js', import.meta.url));

let server: EmbeddingServer;
let home: string;
const started: ChildProcess[] = [];
beforeAll(async () => {
  await ownStore();
  server = await EmbeddingServer.start();
  home = await mkdtemp(join(tmpdir(), 'longhaul-worker-'));
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await server.close();
  await disconnectStore();
  await rm(home, { recursive: true, force: true });
});

function startWorker(model: string): ChildProcess {
  const mongodb = new URL(inject('MONGODB_URI'));
  mongodb.pathname = `/${nativeCollection('knowledge').dbName}`;
  const child = fork(WORKER, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...process.env,
      LONGHAUL_HOME: home,
      LONGHAUL_TASK_QUEUE: 'knowledge-crash',
      LONGHAUL_EMBEDDING_MODEL: model,
      MONGODB_URI: mongodb.href,
      TEMPORAL_ADDRESS: inject('TEMPORAL_ADDRESS'),
      SECRET_KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
    },
  });
  started.push(child);
  return child;
}

describe('vectors whose worker is killed halfway', () => {
  it('[13] are gone on with by the next, and none is bought twice', async () => {
    const owner = await newOwner();
    const { id: workspace_id } = await createWorkspace(owner, { id: newId('ws'), name: 'Ours' });
    const lines = Array.from({ length: 150 * 20 }, (_, line) => `Line ${line} of a passage.`).join('\n');
    const id = newId('kn');
    await addSource(owner, { id, workspace_id, name: 'Long', kind: 'text', bytes: lines.length, pages: [lines] });

    server.faults.push('well', 'hang');
    const first = startWorker('openai-compatible/e5');
    await server.called(2);
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;

    startWorker('openai-compatible/e5');
    const isDone = async () => (await sourceCollection().findOne({ _id: id }))?.embedded_with ?? null;
    await vi.waitFor(async () => expect(await isDone()).toBe('openai-compatible/e5'), 60_000);
    expect(server.calls.map(({ texts }) => texts.length)).toEqual([64, 64, 64, 22]);
    const [kept, lost, again] = server.calls;
    expect(again?.texts).toEqual(lost?.texts);
    expect(again?.texts).not.toEqual(kept?.texts);
    const vectors = nativeCollection<{ _id: { source: string } }>('knowledge_vectors');
    expect(await vectors.countDocuments({ '_id.source': id })).toBe(150);
  });
});

it('[3] a worker with an embedding model that has no embeddings does not start, and says why', async () => {
  const worker = startWorker('claude-opus-5');
  const [said, [code]] = await Promise.all([worker.stderr ? text(worker.stderr) : '', once(worker, 'exit')]);
  expect(code).toBe(1);
  expect(said).toContain('LONGHAUL_EMBEDDING_MODEL cannot be used: anthropic has no embeddings');
});
