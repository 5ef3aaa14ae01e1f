import mongoose from 'mongoose';
import type { Caller } from '../domain/identity.ts';
import { ALL_SOURCES, type KnowledgeHit } from '../domain/knowledge.ts';
import { pageOf, plainQuery, rank } from '../domain/passages.ts';
import { type PassageDoc, passageCollection, sourceCollection } from './knowledge.ts';
import { literalPattern } from './literal-pattern.ts';
import { boundedBy } from './tenancy.ts';

type Reach = ReturnType<typeof boundedBy>;
type Found = PassageDoc & { score: number };

/** More than are given, so that ranking has something to choose from. */
const CANDIDATES = 200;
/** A literal search reads every passage there is: beyond this it gives up. */
const LITERAL_MS = 2_000;
const TOO_SLOW = 50;

const inSources = (sources: readonly string[]) =>
  sources.includes(ALL_SOURCES) ? {} : { '_id.source': { $in: [...sources] } };

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

async function search(reach: Reach, sources: readonly string[], query: string, limit: number): Promise<KnowledgeHit[]> {
  if (sources.length === 0 || query.trim() === '') return [];
  const worded = await byWords(reach, sources, query);
  const found = worded.length > 0 ? worded : await literally(reach, sources, query);
  // A passage is part of a search only while its source is whole.
  const whole = await sourceCollection()
    .find({ _id: { $in: [...new Set(found.map(({ _id }) => _id.source))] }, is_whole: true })
    .toArray();
  const byId = new Map(whole.map((source) => [source._id, source]));
  return found
    .flatMap((passage): KnowledgeHit[] => {
      const source = byId.get(passage._id.source);
      if (!source) return [];
      const { score, line } = rank(query, passage, passage.score);
      return [
        {
          source_id: source._id,
          source: source.name,
          start_line: passage.first_line,
          end_line: passage.last_line,
          line,
          page: pageOf(passage.first_line, source.page_starts),
          snippet: passage.text,
          score,
        },
      ];
    })
    .sort((a, b) => b.score - a.score || a.source_id.localeCompare(b.source_id) || a.start_line - b.start_line)
    .slice(0, limit);
}

export interface KnowledgeQuery {
  query: string;
  workspace_id?: string | undefined;
  limit: number;
}

export const searchKnowledge = async (
  caller: Caller,
  { query, workspace_id, limit }: KnowledgeQuery,
): Promise<KnowledgeHit[]> => search(boundedBy(caller, workspace_id), [ALL_SOURCES], query, limit);

/** For a run: never beyond its own organization and workspace, and only what its agent names. */
export const searchForRun = (
  run: { org_id: string; workspace_id: string },
  sources: readonly string[],
  query: string,
  limit: number,
): Promise<KnowledgeHit[]> => search({ org_id: run.org_id, workspace_id: run.workspace_id }, sources, query, limit);
