import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmbedder } from '../../activities/models/embedder.ts';
import { meaningOf } from '../../activities/query-meaning.ts';
import type { Caller } from '../../domain/identity.ts';
import { disconnectStore } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { addSource, removeSource, sourceCollection } from '../../store/knowledge.ts';
import { searchForRun, searchKnowledge } from '../../store/knowledge-search.ts';
import { vectorCollection } from '../../store/knowledge-vector-record.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { KnowledgeUpkeep } from '../../workers/knowledge-upkeep.ts';
import { EmbeddingServer } from '../doubles/embedding-server.ts';
import { ownStore } from '../own-store.ts';
import { newMember, newOwner } from '../people.ts';
import { quiet } from '../running-system.ts';

const LATER = 10 * 60_000;
let server: EmbeddingServer;
let owner: Caller;
let workspace: string;
beforeAll(async () => {
  await ownStore();
  server = await EmbeddingServer.start();
});
afterAll(async () => {
  await server.close();
  await disconnectStore();
});
beforeEach(async () => {
  server.calls.length = 0;
  server.faults.length = 0;
  await Promise.all([sourceCollection().deleteMany({}), vectorCollection().deleteMany({})]);
  owner = await newOwner();
  workspace = (await createWorkspace(owner, { id: newId('ws'), name: 'Ours' })).id;
});

const embedder = (model = 'e5') =>
  createEmbedder({ provider: 'openai-compatible', model }, { openai_base_url: `${server.url}/v1` }, (text) => text);
const upkeep = (model?: string) => new KnowledgeUpkeep(embedder(model), quiet);
const later = () => Date.now() + LATER;

async function add(name: string, text: string, caller = owner, workspace_id = workspace): Promise<string> {
  const source = { id: newId('kn'), workspace_id, name, kind: 'text', bytes: text.length, pages: [text] } as const;
  return (await addSource(caller, source)).id;
}

/** As many passages of their own. */
const long = (passages: number): string =>
  Array.from({ length: passages * 20 }, (_, line) => `Line ${line} of passage ${Math.floor(line / 20)}.`).join('\n');

const ask = (query: string, model?: string) => () => meaningOf(embedder(model), query, new AbortController().signal);
const search = (query: string, caller = owner, model?: string) =>
  searchKnowledge(caller, { query, limit: 10 }, ask(query, model));
const names = (found: { results: { source: string }[] }) => found.results.map(({ source }) => source);
const vectorsOf = (source: string) => vectorCollection().countDocuments({ '_id.source': source });

describe('[3] a search by meaning', () => {
  it('finds what shares no word with the query, with source and line, where words find nothing', async () => {
    await add('Garage', 'Intro.\nThe automobile was mended.');
    await add('Kitchen', 'Bread and butter.');
    await upkeep().once();
    const words = await searchKnowledge(owner, { query: 'car repaired', limit: 10 }, async () => ({ reason: 'none' }));
    expect(words).toEqual({ results: [], ranking: 'words', ranking_reason: 'none' });
    const found = await search('car repaired');
    expect(found).toMatchObject({ ranking: 'words_and_meaning', ranking_reason: null });
    expect(found.results[0]).toMatchObject({ source: 'Garage', start_line: 1, end_line: 2, page: null });
    expect(found.results[0]?.snippet).toContain('automobile');
  });

  it('puts first what both words and meaning find', async () => {
    await add('Meaning', 'An automobile.');
    await add('Both', 'A car, an automobile, a vehicle.');
    await upkeep().once();
    expect(names(await search('car'))).toEqual(['Both', 'Meaning']);
  });

  it('never counts what another organization or workspace has, however near it is', async () => {
    const stranger = await newOwner('Stranger');
    const theirs = (await createWorkspace(stranger, { id: newId('ws'), name: 'Theirs' })).id;
    const elsewhere = (await createWorkspace(owner, { id: newId('ws'), name: 'Elsewhere' })).id;
    const member = await newMember(owner, workspace, 'read');
    // More of them than are ever compared further, and all nearer: they would take every place.
    await add('Foreign', 'car\n'.repeat(60 * 20), stranger, theirs);
    await add('Hidden', 'vehicle', owner, elsewhere);
    const ours = await add('Ours', 'One automobile among many other words of no concern.');
    await upkeep().once();
    expect(names(await search('car', member))).toEqual(['Ours']);
    expect(names(await search('car'))).toEqual(['Hidden', 'Ours']);
    const run = { org_id: owner.org_id, workspace_id: workspace };
    expect(names(await searchForRun(run, [ours], 'car', 10, ask('car')))).toEqual(['Ours']);
    expect(names(await searchForRun(run, [newId('kn')], 'car', 10, ask('car')))).toEqual([]);
  });

  it('leaves words to decide, and says so, where the provider is away', async () => {
    await add('Garage', 'The automobile was mended.');
    await upkeep().once();
    server.faults.push({ status: 503, body: { error: { message: 'away' } } });
    const found = await search('mended');
    expect(names(found)).toEqual(['Garage']);
    expect(found.ranking).toBe('words');
    expect(found.ranking_reason).toContain('openai-compatible answered 503 away');
  });

  it('says where documents are not ready for it yet', async () => {
    await add('New', 'An automobile.');
    const early = await search('automobile');
    expect([early.ranking, names(early)]).toEqual(['words_and_meaning', ['New']]);
    expect(early.ranking_reason).toContain('not ready yet');
  });
});

describe('[3] vectors', () => {
  it('[13] whose worker died halfway are gone on with by another, and none is bought twice', async () => {
    const source = await add('Long', long(150));
    server.faults.push('well', 'hang');
    const dead = upkeep();
    const died = dead.once();
    await server.called(2);
    // It holds the source for as long as it may live.
    await upkeep().once();
    expect([server.calls.length, await vectorsOf(source)]).toEqual([2, 64]);
    await upkeep().once(later);
    expect(server.calls.slice(2).map(({ texts }) => texts.length)).toEqual([64, 22]);
    expect(server.calls[2]?.texts).toEqual(server.calls[1]?.texts);
    expect(await vectorsOf(source)).toBe(150);
    expect((await search('passage')).ranking_reason).toBeNull();
    await dead.stop();
    await died;
    expect(await sourceCollection().findOne({ _id: source })).toMatchObject({
      embedded_with: 'openai-compatible/e5',
    });
    await upkeep().once(later);
    expect(server.calls.filter(({ texts }) => texts.length > 1)).toHaveLength(4);
  });

  it('that a worker leaves when it is asked to go are free for the next at once', async () => {
    const source = await add('Long', long(100));
    server.faults.push('well', 'hang');
    const leaving = upkeep();
    const left = leaving.once();
    await server.called(2);
    await leaving.stop();
    await left;
    await upkeep().once(() => Date.now() + 1);
    expect(await vectorsOf(source)).toBe(100);
  });

  it('are made anew for another model, and those of the old one no longer count', async () => {
    const source = await add('Garage', 'An automobile.');
    await upkeep().once();
    const between = await search('car', owner, 'e6');
    expect([between.results, between.ranking]).toEqual([[], 'words_and_meaning']);
    await upkeep('e6').once();
    expect(names(await search('car', owner, 'e6'))).toEqual(['Garage']);
    expect(await vectorsOf(source)).toBe(1);
  });

  it('that a provider refuses are tried again later, not at once', async () => {
    const source = await add('Garage', 'An automobile.');
    server.faults.push({ status: 503, body: { error: { message: 'away' } } });
    await upkeep().once();
    await upkeep().once();
    expect([server.calls.length, await vectorsOf(source)]).toEqual([1, 0]);
    await upkeep().once(later);
    expect([server.calls.length, await vectorsOf(source)]).toEqual([2, 1]);
  });

  it('go with their document, also where it is removed while they are made', async () => {
    const gone = await add('Gone', 'An automobile.');
    await upkeep().once();
    await removeSource(owner, gone);
    expect(await vectorsOf(gone)).toBe(0);
    const going = await add('Going', 'A vehicle.');
    const slow = embedder();
    const removing = new KnowledgeUpkeep(
      {
        model: slow.model,
        async embed(...asked) {
          const vectors = await slow.embed(...asked);
          await removeSource(owner, going);
          return vectors;
        },
      },
      quiet,
    );
    await removing.once();
    expect(await vectorsOf(going)).toBe(0);
    expect(names(await search('car'))).toEqual([]);
  });

  it('are not asked for what is blank', async () => {
    const source = await add('Blank', `${'\n'.repeat(30)}The end.`);
    await upkeep().once();
    expect(server.calls.flatMap(({ texts }) => texts).every((text) => text.trim() !== '')).toBe(true);
    expect(await sourceCollection().findOne({ _id: source })).toHaveProperty('embedded_with');
  });
});
