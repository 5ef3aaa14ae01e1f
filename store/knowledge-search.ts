import mongoose from 'mongoose';
import type { QueryMeaning } from '../domain/embedding.ts';
import type { Caller } from '../domain/identity.ts';
import type { KnowledgeHit, KnowledgeHits } from '../domain/knowledge.ts';
import { fusedScores } from '../domain/meaning.ts';
import { pageOf, plainQuery, rank } from '../domain/passages.ts';
import { ALL } from '../domain/word-lists.ts';
import { type PassageDoc, passageCollection, type SourceDoc, sourceCollection } from './knowledge.ts';
import { isPartlyEmbedded, nearestPassages } from './knowledge-vectors.ts';
import { literalPattern } from './literal-pattern.ts';
import { boundedBy } from './tenancy.ts';

type Reach = ReturnType<typeof boundedBy>;
type Found = PassageDoc & { score: number };

/** More than are given, so that ranking has something to choose from. */
const CANDIDATES = 200;
/** As many as are given at most: of a list that has an end nowhere, what comes later says little. */
const NEAREST = 50;
/** A literal search reads every passage there is: beyond this it gives up. */
const LITERAL_MS = 2_000;
const TOO_SLOW = 50;

const inSources = (sources: readonly string[]) =>
  sources.includes(ALL) ? {} : { '_id.source': { $in: [...sources] } };

function byWords(reach: Reach, sources: readonly string[], query: string): Promise<Found[]> {
  return passageCollection()
    .find<Found>({ ...reach, ...inSources(sources), $text: { $search: plainQuery(query) } })
    .project<Found>({ score: { $meta: 'textScore' } })
    .sort({ score: { $meta: 'textScore' } })
    .limit(CANDIDATES)
    .toArray();
}

/** For what no index of words has: parts of words, signs, and languages that are written without spaces. */
async function literally(reach: Reach, sources: readonly string[], query: string): Promise<Found[]> {
  const text = new RegExp(literalPattern(query.trim()), 'i');
  try {
    const found = await passageCollection()
      .find({ ...reach, ...inSources(sources), text })
      .limit(CANDIDATES)
      .maxTimeMS(LITERAL_MS)
      .toArray();
    return found.map((passage) => ({ ...passage, score: 1 }));
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === TOO_SLOW) return [];
    throw error;
  }
}

const keyOf = ({ source, n }: PassageDoc['_id']): string => `${source}:${n}`;

/** A passage is part of a search only while its source is whole. */
async function wholeSources(found: readonly PassageDoc[]): Promise<Map<string, SourceDoc>> {
  const whole = await sourceCollection()
    .find({ _id: { $in: [...new Set(found.map(({ _id }) => _id.source))] }, is_whole: true })
    .toArray();
  return new Map(whole.map((source) => [source._id, source]));
}

interface Candidate {
  key: string;
  hit: KnowledgeHit;
}

async function toCandidates(query: string, found: readonly Found[]): Promise<Candidate[]> {
  const sources = await wholeSources(found);
  return found.flatMap((passage): Candidate[] => {
    const source = sources.get(passage._id.source);
    if (!source) return [];
    const { score, line } = rank(query, passage, passage.score);
    const hit = {
      source_id: source._id,
      source: source.name,
      start_line: passage.first_line,
      end_line: passage.last_line,
      line,
      page: pageOf(passage.first_line, source.page_starts),
      snippet: passage.text,
      score,
    };
    return [{ key: keyOf(passage._id), hit }];
  });
}

const bestFirst = (a: KnowledgeHit, b: KnowledgeHit): number =>
  b.score - a.score || a.source_id.localeCompare(b.source_id) || a.start_line - b.start_line;

interface Near {
  /** null where meaning has no say in this search. */
  passages: Found[] | null;
  reason: string | null;
}

/** Within the same reach as the words: nothing else is read, let alone compared. */
async function byMeaning(reach: Reach, sources: readonly string[], meaning: QueryMeaning): Promise<Near> {
  if ('reason' in meaning) return { passages: null, reason: meaning.reason };
  const within = { ...reach, ...inSources(sources) };
  const nearest = await nearestPassages(within, meaning, NEAREST);
  if (!nearest) return { passages: null, reason: 'There is more text than can be compared by its meaning in time.' };
  const texts = await passageCollection()
    .find({ ...within, _id: { $in: nearest } })
    .toArray();
  const byKey = new Map(texts.map((passage) => [keyOf(passage._id), passage]));
  const isPartly = await isPartlyEmbedded(reach, sources.includes(ALL) ? null : sources, meaning.model);
  return {
    passages: nearest.flatMap((id) => {
      const passage = byKey.get(keyOf(id));
      return passage ? { ...passage, score: 0 } : [];
    }),
    reason: isPartly ? 'Some of the documents are not ready yet to be found by their meaning.' : null,
  };
}

type AskMeaning = () => Promise<QueryMeaning>;

async function search(
  reach: Reach,
  sources: readonly string[],
  query: string,
  limit: number,
  askMeaning: AskMeaning,
): Promise<KnowledgeHits> {
  if (sources.length === 0 || query.trim() === '') return { results: [], ranking: 'words', ranking_reason: null };
  const [worded, near] = await Promise.all([
    byWords(reach, sources, query),
    askMeaning().then((meaning) => byMeaning(reach, sources, meaning)),
  ]);
  const found = worded.length > 0 ? worded : await literally(reach, sources, query);
  const words = (await toCandidates(query, found)).sort((a, b) => bestFirst(a.hit, b.hit));
  if (near.passages === null) {
    const results = words.slice(0, limit).map(({ hit }) => hit);
    return { results, ranking: 'words', ranking_reason: near.reason };
  }
  const meant = await toCandidates(query, near.passages);
  const scores = fusedScores([words, meant].map((list) => list.map(({ key }) => key)));
  const results = [...new Map([...words, ...meant].map(({ key, hit }) => [key, hit]))]
    .map(([key, hit]) => ({ ...hit, score: Math.round((scores.get(key) ?? 0) * 1e6) / 1e6 }))
    .sort(bestFirst)
    .slice(0, limit);
  return { results, ranking: 'words_and_meaning', ranking_reason: near.reason };
}

export interface KnowledgeQuery {
  query: string;
  workspace_id?: string | undefined;
  limit: number;
}

export const searchKnowledge = async (
  caller: Caller,
  { query, workspace_id, limit }: KnowledgeQuery,
  askMeaning: AskMeaning,
): Promise<KnowledgeHits> => search(boundedBy(caller, workspace_id), [ALL], query, limit, askMeaning);

/** For a run: never beyond its own organization and workspace, and only what its agent names. */
export const searchForRun = (
  run: { org_id: string; workspace_id: string },
  sources: readonly string[],
  query: string,
  limit: number,
  askMeaning: AskMeaning,
): Promise<KnowledgeHits> =>
  search({ org_id: run.org_id, workspace_id: run.workspace_id }, sources, query, limit, askMeaning);
