import mongoose from 'mongoose';
import { Best, dot } from '../domain/meaning.ts';
import { type PassageDoc, passageCollection, sourceCollection } from './knowledge.ts';
import { type VectorDoc, vectorCollection } from './knowledge-vector-record.ts';

const toBinary = ({ buffer, byteOffset, byteLength }: Float32Array): mongoose.mongo.Binary =>
  new mongoose.mongo.Binary(Buffer.from(buffer, byteOffset, byteLength));

/** A copy, since what arrives from the store need not lie where floats may. */
function fromBinary({ buffer, position }: mongoose.mongo.Binary): Float32Array {
  const bytes = Uint8Array.prototype.slice.call(buffer, 0, position);
  return new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
}

/** A source whose vectors are to be made, for whoever says so first. */
export interface VectorClaim {
  source: string;
  by: string;
  model: string;
}

/** One that has not all vectors of this model, and that nobody is at; from now on it is this one's until then. */
export async function claimUnembedded(model: string, by: string, now: Date, until: Date): Promise<VectorClaim | null> {
  const found = await sourceCollection().findOneAndUpdate(
    {
      is_whole: true,
      embedded_with: { $ne: model },
      $or: [{ 'embedding.until': { $exists: false } }, { 'embedding.until': { $lt: now } }],
    },
    { $set: { embedding: { by, until } } },
    { projection: { _id: 1 } },
  );
  return found && { source: found._id, by, model };
}

const held = ({ source, by }: VectorClaim) => ({ _id: source, is_whole: true, 'embedding.by': by });

/** The next passages after one, and which of them want a vector: what is blank has no meaning to be found by. */
export async function passagesToEmbed(
  { source, model }: VectorClaim,
  after: number,
  limit: number,
): Promise<{ wanted: PassageDoc[]; last: number | null }> {
  const passages = await passageCollection()
    .find({ '_id.source': source, '_id.n': { $gt: after } })
    .sort({ first_line: 1, '_id.n': 1 })
    .limit(limit)
    .toArray();
  const known = await vectorCollection()
    .find({ _id: { $in: passages.map(({ _id }) => _id) }, model }, { projection: { _id: 1 } })
    .toArray();
  const done = new Set(known.map(({ _id }) => _id.n));
  const wanted = passages.filter(({ _id, text }) => !done.has(_id.n) && text.trim() !== '');
  return { wanted, last: passages.at(-1)?._id.n ?? null };
}

/** Safe to repeat. False where the source is another's by now, or gone, and then nothing is left of it here either. */
export async function keepVectors(
  claim: VectorClaim,
  vectors: readonly { passage: PassageDoc; vector: Float32Array }[],
  until: Date,
): Promise<boolean> {
  if (vectors.length > 0) {
    await vectorCollection().bulkWrite(
      vectors.map(({ passage: { _id, org_id, workspace_id }, vector }) => ({
        replaceOne: {
          filter: { _id },
          replacement: { org_id, workspace_id, model: claim.model, vector: toBinary(vector) },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  }
  const renewed = await sourceCollection().updateOne(held(claim), { $set: { 'embedding.until': until } });
  if (renewed.matchedCount > 0) return true;
  const isThere = await sourceCollection().findOne({ _id: claim.source, is_whole: true }, { projection: { _id: 1 } });
  if (!isThere) await vectorCollection().deleteMany({ '_id.source': claim.source });
  return false;
}

export async function endEmbedding(claim: VectorClaim): Promise<void> {
  await sourceCollection().updateOne(held(claim), {
    $set: { embedded_with: claim.model },
    $unset: { embedding: 1 },
  });
}

/** Tried again from then on, by whoever comes. */
export async function postponeEmbedding(claim: VectorClaim, until: Date): Promise<void> {
  await sourceCollection().updateOne(held(claim), { $set: { 'embedding.until': until } });
}

/** Everybody who holds a source, dead or alive. */
export const embeddingHolders = (): Promise<string[]> =>
  sourceCollection().distinct('embedding.by', { 'embedding.by': { $exists: true } });

/** For one who is known to be dead: nobody is to wait until its time is over. */
export async function freeHeldBy(by: string): Promise<void> {
  await sourceCollection().updateMany({ 'embedding.by': by }, { $unset: { embedding: 1 } });
}

type Within = mongoose.mongo.Filter<Pick<VectorDoc, '_id' | 'org_id' | 'workspace_id'>>;

/** Read and thrown away so many at a time, whatever there is to compare. */
const BATCH = 200;
/** Beyond this, words alone decide: somebody waits. */
const LONGEST_MS = 5_000;
const TOO_SLOW = 50;

/** The passages nearest in meaning, best first; null where there are more than can be compared in time. */
export async function nearestPassages(
  within: Within,
  { model, vector }: { model: string; vector: Float32Array },
  most: number,
): Promise<PassageDoc['_id'][] | null> {
  const deadline = Date.now() + LONGEST_MS;
  const best = new Best<PassageDoc['_id']>(most);
  const vectors = vectorCollection()
    .find({ ...within, model }, { projection: { vector: 1 } })
    .batchSize(BATCH)
    .maxTimeMS(LONGEST_MS);
  try {
    for await (const found of vectors) {
      const other = fromBinary(found.vector);
      const nearness = other.length === vector.length ? dot(other, vector) : 0;
      if (nearness > 0) best.add(found._id, nearness);
      if (Date.now() > deadline) return null;
    }
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === TOO_SLOW) return null;
    throw error;
  }
  return best.items();
}

/** Whether anything in reach is still without vectors of this model. */
export const isPartlyEmbedded = async (
  within: { org_id: string; workspace_id?: string | { $in: string[] } },
  sources: readonly string[] | null,
  model: string,
): Promise<boolean> =>
  (await sourceCollection().findOne(
    { ...within, ...(sources ? { _id: { $in: [...sources] } } : {}), is_whole: true, embedded_with: { $ne: model } },
    { projection: { _id: 1 } },
  )) !== null;
