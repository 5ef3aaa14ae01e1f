import mongoose from 'mongoose';
import type { DeliveredRun, Delivery, DeliveryStatus } from '../domain/event.ts';
import type { Caller } from '../domain/identity.ts';
import type { Refusal } from '../domain/trigger.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { newId } from './ids.ts';
import { type Page, type PageRequest, readCursor, writeCursor } from './pages.ts';
import { type RunRecord, runCollection } from './run-record.ts';
import { boundedBy, demandRole, missing } from './tenancy.ts';
import { findWorkspace } from './workspaces.ts';

/** One subscription's part in a delivery; its run's id is known before there is a run. */
export interface DeliveryPart {
  subscription_id: string;
  subscription_name: string;
  attempt: number;
  run_id: string;
  state: 'pending' | 'started' | 'refused';
  error: Refusal | null;
}

export interface DeliveryDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  source_id: string;
  source_name: string;
  /** As the sender calls it. */
  delivery_id: string;
  /** Of what was signed: the same request under another name is still the same. */
  fingerprint: string;
  status: DeliveryStatus;
  attempts: number;
  /** As text: a payload may have names in it that the store would take for its own. */
  payload: string;
  headers: Record<string, string>;
  parts: DeliveryPart[];
  checked_at: Date;
  created_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<DeliveryDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    source_id: String,
    source_name: String,
    delivery_id: String,
    fingerprint: String,
    status: String,
    attempts: Number,
    payload: String,
    headers: mixed,
    parts: mixed,
    checked_at: Date,
    created_at: Date,
  },
  { collection: 'event_deliveries', versionKey: false, minimize: false },
);
schema.index({ source_id: 1, fingerprint: 1 }, { unique: true });
schema.index({ org_id: 1, workspace_id: 1, created_at: -1, _id: -1 });
schema.index({ source_id: 1, created_at: -1, _id: -1 });
schema.index({ checked_at: 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ created_at: 1, _id: 1 });
mongoose.model<DeliveryDoc>('EventDelivery', schema);
export const deliveryCollection = () => nativeCollection<DeliveryDoc>('event_deliveries');

/** The same for every try of the same delivery. */
export const deliveryDocId = (sourceId: string, deliveryId: string): string =>
  newId('dlv', `${sourceId}:${deliveryId}`);

export const partOf = (id: string, { _id, name }: { _id: string; name: string }, attempt: number): DeliveryPart => ({
  subscription_id: _id,
  subscription_name: name,
  attempt,
  run_id: newId('run', `${id}:${_id}:${attempt}`),
  state: 'pending',
  error: null,
});

/** Null where it has come before, under its name or with the same signature. */
export async function recordDelivery(delivery: DeliveryDoc): Promise<DeliveryDoc | null> {
  try {
    await deliveryCollection().insertOne(delivery);
    return delivery;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return null;
  }
}

/** The one that came first. */
export const knownDelivery = (sourceId: string, id: string, fingerprint: string): Promise<DeliveryDoc | null> =>
  deliveryCollection().findOne({ source_id: sourceId, $or: [{ _id: id }, { fingerprint }] });

/** Recorded some time ago and not started: whoever looks marks them, so that several processes share the work. */
export async function deliveriesToStart(before: Date, limit: number): Promise<DeliveryDoc[]> {
  const found = await deliveryCollection()
    .find({ status: 'pending', checked_at: { $lt: before } })
    .sort({ checked_at: 1 })
    .limit(limit)
    .toArray();
  const ids = found.map(({ _id }) => _id);
  await deliveryCollection().updateMany({ _id: { $in: ids } }, { $set: { checked_at: new Date() } });
  return found;
}

/** What became of one part; of several who tell it, the first counts. */
export async function settlePart(id: string, runId: string, error: Refusal | null): Promise<void> {
  await deliveryCollection().updateOne(
    { _id: id, parts: { $elemMatch: { run_id: runId, state: 'pending' } } },
    { $set: { 'parts.$.state': error ? 'refused' : 'started', 'parts.$.error': error } },
  );
  await settle(id);
}

/** Once no part waits any more. */
async function settle(id: string): Promise<void> {
  const found = await deliveryCollection().findOne({ _id: id }, { projection: { parts: 1, attempts: 1 } });
  if (!found || found.parts.some(({ state }) => state === 'pending')) return;
  const latest = found.parts.filter(({ attempt }) => attempt === found.attempts);
  const status = latest.some(({ state }) => state === 'refused') ? 'refused' : 'started';
  await deliveryCollection().updateOne(
    { _id: id, attempts: found.attempts, parts: { $not: { $elemMatch: { state: 'pending' } } } },
    { $set: { status } },
  );
}

async function load(caller: Caller, id: string): Promise<DeliveryDoc> {
  const found = await deliveryCollection().findOne({ _id: id, ...boundedBy(caller) });
  if (!found) throw missing('delivery', id);
  return found;
}

/** Before it is delivered again. */
export async function demandRedeliverable(caller: Caller, id: string): Promise<DeliveryDoc> {
  const doc = await load(caller, id);
  demandRole(caller, doc.workspace_id, 'write', 'deliver events again');
  return doc;
}

/** Its parts of one more attempt; false where somebody else has just done so. */
export async function addAttempt({ _id, attempts }: DeliveryDoc, parts: DeliveryPart[]): Promise<boolean> {
  const status: DeliveryStatus = parts.length > 0 ? 'pending' : 'unmatched';
  const { matchedCount } = await deliveryCollection().updateOne(
    { _id, attempts },
    { $set: { status, attempts: attempts + 1, checked_at: new Date() }, $push: { parts: { $each: parts } } },
  );
  return matchedCount > 0;
}

type RunPart = Pick<RunRecord, '_id' | 'status' | 'output'>;

async function runsOf(docs: DeliveryDoc[]): Promise<Map<string, RunPart>> {
  const ids = docs.flatMap(({ parts }) => parts.map(({ run_id }) => run_id));
  const found = await runCollection()
    .find({ _id: { $in: ids }, org_id: { $in: [...new Set(docs.map(({ org_id }) => org_id))] } })
    .project<RunPart>({ status: 1, output: 1 })
    .toArray();
  return new Map(found.map((run) => [run._id, run]));
}

function toDelivery(doc: DeliveryDoc, known: Map<string, RunPart>): Delivery {
  const runs = doc.parts.map(({ subscription_id, subscription_name, attempt, run_id, error }): DeliveredRun => {
    const run = known.get(run_id);
    return {
      subscription_id,
      subscription_name,
      attempt,
      run_id: run ? run_id : null,
      run_status: run?.status ?? null,
      output: run?.output ?? null,
      error,
    };
  });
  const latest = runs.findLast(({ run_id }) => run_id !== null);
  const payload: unknown = JSON.parse(doc.payload);
  return {
    id: doc._id,
    workspace_id: doc.workspace_id,
    source_id: doc.source_id,
    source_name: doc.source_name,
    delivery_id: doc.delivery_id,
    status: doc.status,
    attempts: doc.attempts,
    payload,
    headers: doc.headers,
    run_id: latest?.run_id ?? null,
    output: latest?.output ?? null,
    runs,
    received_at: doc.created_at.toISOString(),
  };
}

export async function findDelivery(caller: Caller, id: string): Promise<Delivery> {
  const doc = await load(caller, id);
  return toDelivery(doc, await runsOf([doc]));
}

export interface DeliveryFilter {
  workspace_id?: string | undefined;
  source_id?: string | undefined;
  status?: DeliveryStatus | undefined;
}

/** Newest first. */
export async function listDeliveries(
  caller: Caller,
  { workspace_id, ...exactly }: DeliveryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<Delivery>> {
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const wanted = Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined));
  const where: mongoose.mongo.Filter<DeliveryDoc>[] = [boundedBy(caller, workspace_id), wanted];
  if (cursor !== undefined) {
    const { at, id } = readCursor(cursor);
    where.push({ $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] });
  }
  const found = await deliveryCollection()
    .find({ $and: where })
    .sort({ created_at: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  const docs = found.slice(0, limit);
  const runs = await runsOf(docs);
  const last = found.length > limit ? docs.at(-1) : undefined;
  return { items: docs.map((doc) => toDelivery(doc, runs)), next_cursor: last ? writeCursor(last) : null };
}
