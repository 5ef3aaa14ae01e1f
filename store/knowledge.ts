import mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import type { KnowledgeKind, KnowledgeSource, KnowledgeText } from '../domain/knowledge.ts';
import { linesOf, linesOfPages, passagesOf } from '../domain/passages.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { vectorCollection } from './knowledge-vector-record.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

export interface SourceDoc extends Omit<KnowledgeSource, 'id' | 'created_at'> {
  _id: string;
  org_id: string;
  /** The line each page begins at. */
  page_starts: number[];
  /** False while its text is being written or taken away: nobody sees it then, and upkeep removes what was left so. */
  is_whole: boolean;
  created_at: Date;
  /** The model that all of its passages have vectors of. */
  embedded_with?: string;
  /** Who makes them, and until when nobody else does; after a failure, when they are tried again. */
  embedding?: { by: string; until: Date };
}

/** The text of a source lies in passages alone: each is a document of its own, so none comes near the store's limit. */
export interface PassageDoc {
  _id: { source: string; n: number };
  org_id: string;
  workspace_id: string;
  first_line: number;
  last_line: number;
  joins: boolean;
  text: string;
}

const sourceSchema = new mongoose.Schema<SourceDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    name: String,
    kind: String,
    bytes: Number,
    lines: Number,
    pages: Number,
    page_starts: [Number],
    is_whole: Boolean,
    created_by: String,
    created_at: Date,
    embedded_with: String,
    embedding: { by: String, until: Date },
  },
  { collection: 'knowledge', versionKey: false },
);
sourceSchema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
sourceSchema.index({ created_at: 1 }, { partialFilterExpression: { is_whole: false } });
sourceSchema.index({ embedded_with: 1 });
sourceSchema.index({ 'embedding.by': 1 }, { sparse: true });
const SourceModel = mongoose.model<SourceDoc>('KnowledgeSource', sourceSchema);

const passageSchema = new mongoose.Schema<PassageDoc>(
  {
    _id: { source: String, n: Number },
    org_id: String,
    workspace_id: String,
    first_line: Number,
    last_line: Number,
    joins: Boolean,
    text: String,
  },
  { collection: 'knowledge_passages', versionKey: false },
);
// The organization comes first: a search never looks at a word of another one.
passageSchema.index({ org_id: 1, text: 'text' }, { default_language: 'english' });
passageSchema.index({ '_id.source': 1, first_line: 1, '_id.n': 1 });
mongoose.model<PassageDoc>('KnowledgePassage', passageSchema);

export const sourceCollection = () => nativeCollection<SourceDoc>('knowledge');
export const passageCollection = () => nativeCollection<PassageDoc>('knowledge_passages');

const toSource = ({
  _id,
  org_id: _org,
  page_starts: _starts,
  is_whole: _whole,
  created_at,
  embedded_with: _with,
  embedding: _embedding,
  ...rest
}: SourceDoc): KnowledgeSource => ({ id: _id, ...rest, created_at: created_at.toISOString() });

export interface NewSource {
  id: string;
  workspace_id: string;
  name: string;
  kind: KnowledgeKind;
  bytes: number;
  /** The text of each page; one page for what has none. */
  pages: readonly string[];
}

const BATCH = 500;

/** Safe to repeat with the same id: a whole source is met, one that was left halfway is written anew. */
export async function addSource(caller: Caller, { id, pages, ...rest }: NewSource): Promise<KnowledgeSource> {
  await demandWorkspace(caller, rest.workspace_id, 'write', 'add knowledge');
  const paged = rest.kind === 'pdf';
  const { lines, page_starts } = paged
    ? linesOfPages(pages)
    : { lines: linesOf(pages.join('\n')), page_starts: [] as number[] };
  const { org_id, user_id } = caller;
  const doc: SourceDoc = {
    _id: id,
    org_id,
    ...rest,
    lines: lines.length,
    pages: paged ? pages.length : null,
    page_starts,
    is_whole: false,
    created_by: user_id,
    created_at: new Date(),
  };
  try {
    await sourceCollection().insertOne(doc);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const met = await sourceCollection().findOne({ _id: id, org_id, created_by: user_id });
    if (!met) throw new Failure('conflict', `The source ${id} is somebody else's.`, { id });
    if (met.is_whole) return toSource(met);
    await dropText(id);
  }
  const within = { org_id, workspace_id: rest.workspace_id };
  const passages = passagesOf(lines, rest.kind, page_starts).map(
    (passage, n): PassageDoc => ({ _id: { source: id, n }, ...within, ...passage }),
  );
  for (let at = 0; at < passages.length; at += BATCH)
    await passageCollection().insertMany(passages.slice(at, at + BATCH));
  await sourceCollection().updateOne(
    { _id: id },
    { $set: { is_whole: true }, $unset: { embedded_with: 1, embedding: 1 } },
  );
  return toSource(doc);
}

async function sourceFor(caller: Caller, id: string): Promise<SourceDoc> {
  const found = await sourceCollection().findOne({ _id: id, is_whole: true, ...boundedBy(caller) });
  if (!found) throw missing('knowledge source', id);
  return found;
}

export const findSource = async (caller: Caller, id: string): Promise<KnowledgeSource> =>
  toSource(await sourceFor(caller, id));

export async function listSources(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<KnowledgeSource>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  return readPage(SourceModel, { ...boundedBy(caller, workspaceId), is_whole: true }, page, toSource);
}

/** Gone from every search at once; its text follows. */
export async function removeSource(caller: Caller, id: string): Promise<void> {
  const source = await sourceFor(caller, id);
  if (source.created_by !== caller.user_id && !holds(caller, source.workspace_id, 'admin')) {
    throw new Failure('forbidden', 'Only who uploaded this source, or an admin of its workspace, may remove it.');
  }
  await sourceCollection().updateOne({ _id: id }, { $set: { is_whole: false } });
  await dropSource(id);
}

async function dropText(id: string): Promise<void> {
  await passageCollection().deleteMany({ '_id.source': id });
  await vectorCollection().deleteMany({ '_id.source': id });
}

/** For a source that nobody sees any more. */
export async function dropSource(id: string): Promise<void> {
  await dropText(id);
  await sourceCollection().deleteOne({ _id: id, is_whole: false });
}

/** Sources that were never finished, or whose removal was cut off. */
export const sourcesLeftBehind = async (before: Date, limit: number): Promise<string[]> =>
  (
    await sourceCollection()
      .find({ is_whole: false, created_at: { $lt: before } }, { projection: { _id: 1 } })
      .limit(limit)
      .toArray()
  ).map(({ _id }) => _id);

const MOST_LINES = 1_000;
const MOST_CHARS = 256 * 1024;
/** Read beyond what is given, so that a line that does not fit is told from one that just does. */
const MARGIN_CHARS = 8_000;

/** Whole lines from one on, as many as fit; of a single line that does not fit, its beginning. */
export async function readSource(caller: Caller, id: string, from: number, to?: number): Promise<KnowledgeText> {
  const { lines: total_lines } = await sourceFor(caller, id);
  const asked = Math.min(to ?? total_lines, total_lines);
  const lines = await linesBetween(id, from, Math.min(asked, from + MOST_LINES - 1));
  const cut = (lines[0]?.length ?? 0) > MOST_CHARS;
  const kept = cut ? [lines[0]?.slice(0, MOST_CHARS) ?? ''] : lines.slice(0, fitting(lines));
  const end = from + kept.length - 1;
  return { id, from, to: end, total_lines, text: kept.join('\n'), next_from: end < asked ? end + 1 : null, cut };
}

async function linesBetween(id: string, from: number, to: number): Promise<string[]> {
  const passages = passageCollection()
    .find({ '_id.source': id, first_line: { $lte: to }, last_line: { $gte: from } })
    .sort({ first_line: 1, '_id.n': 1 });
  const lines = new Map<number, string>();
  let chars = 0;
  for await (const { text, joins, first_line } of passages) {
    if (chars > MOST_CHARS + MARGIN_CHARS) break;
    chars += text.length;
    if (joins) lines.set(first_line, `${lines.get(first_line) ?? ''}${text}`);
    else for (const [index, line] of text.split('\n').entries()) lines.set(first_line + index, line);
  }
  return [...lines].flatMap(([number, line]) => (number >= from && number <= to ? line : []));
}

/** How many whole lines are given at once. */
function fitting(lines: string[]): number {
  let chars = 0;
  const over = lines.findIndex((line) => {
    chars += line.length;
    return chars > MOST_CHARS;
  });
  return over < 0 ? lines.length : over;
}
