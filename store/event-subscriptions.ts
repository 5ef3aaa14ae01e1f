import mongoose from 'mongoose';
import {
  type ChangeSubscription,
  type CreateSubscription,
  type EventSubscription,
  subscriptionProblem,
} from '../domain/event.ts';
import type { Caller } from '../domain/identity.ts';
import type { Tier } from '../domain/trigger.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { findSource } from './event-sources.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import {
  badField,
  defined,
  demandKeeper,
  demandTargetNotebook,
  demandVersionOf,
  nextTrigger,
  targetNameIn,
} from './trigger-target.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

export interface SubscriptionDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  source_id: string;
  name: string;
  target_type: 'agent' | 'workflow';
  agent_id: string | null;
  workflow_id: string | null;
  target_name: string | null;
  notebook_id: string | null;
  input_mapping: unknown;
  filter: string | null;
  tier: Tier;
  scopes: string[];
  is_active: boolean;
  version: number;
  created_by: string;
  created_at: Date;
  updated_by: string;
  updated_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<SubscriptionDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    source_id: String,
    name: String,
    target_type: String,
    agent_id: String,
    workflow_id: String,
    target_name: String,
    notebook_id: String,
    input_mapping: mixed,
    filter: String,
    tier: String,
    scopes: mixed,
    is_active: Boolean,
    version: Number,
    created_by: String,
    created_at: Date,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'event_subscriptions', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
schema.index({ source_id: 1 });
const SubscriptionModel = mongoose.model<SubscriptionDoc>('EventSubscription', schema);
const subscriptionCollection = () => nativeCollection<SubscriptionDoc>('event_subscriptions');

const toSubscription = ({
  _id,
  org_id: _org,
  updated_by: _by,
  created_at,
  updated_at,
  ...rest
}: SubscriptionDoc): EventSubscription => ({
  id: _id,
  ...rest,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

async function load(caller: Caller, id: string): Promise<SubscriptionDoc> {
  const found = await subscriptionCollection().findOne({ _id: id, ...boundedBy(caller) });
  if (!found) throw missing('event subscription', id);
  return found;
}

function demandSound(wanted: SubscriptionDoc): void {
  const problem = subscriptionProblem(wanted);
  if (problem) throw badField(...problem);
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createSubscription(
  caller: Caller,
  { id, input_mapping = null, ...sent }: CreateSubscription & { id: string },
): Promise<EventSubscription> {
  const { workspace_id } = await findSource(caller, sent.source_id);
  await demandWorkspace(caller, workspace_id, 'write', 'make event subscriptions');
  const now = new Date();
  const by = { created_by: caller.user_id, created_at: now, updated_by: caller.user_id, updated_at: now };
  const about = { org_id: caller.org_id, workspace_id, version: 1, target_name: null };
  const doc: SubscriptionDoc = { _id: id, ...about, ...sent, input_mapping, ...by };
  demandSound(doc);
  doc.target_name = await targetNameIn(caller, doc, workspace_id);
  doc.name ||= doc.target_name;
  await demandTargetNotebook(caller, doc.notebook_id, workspace_id);
  await subscriptionCollection()
    .insertOne(doc)
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  return findSubscription(caller, id);
}

export const findSubscription = async (caller: Caller, id: string): Promise<EventSubscription> =>
  toSubscription(await load(caller, id));

export async function listSubscriptions(
  caller: Caller,
  { workspace_id, source_id }: { workspace_id?: string | undefined; source_id?: string | undefined },
  page: PageRequest,
): Promise<Page<EventSubscription>> {
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const where = { $and: [boundedBy(caller, workspace_id), source_id === undefined ? {} : { source_id }] };
  return readPage(SubscriptionModel, where, page, toSubscription);
}

export async function changeSubscription(
  caller: Caller,
  id: string,
  change: ChangeSubscription,
  expected: number | null,
): Promise<EventSubscription> {
  for (;;) {
    const doc = await load(caller, id);
    demandKeeper(caller, doc, 'event subscription', 'change');
    demandVersionOf(doc, 'event subscription', expected);
    const next = await nextTrigger(caller, doc, defined(change), demandSound);
    const { matchedCount } = await subscriptionCollection().replaceOne({ _id: id, version: doc.version }, next);
    if (matchedCount > 0) return toSubscription(next);
  }
}

export async function deleteSubscription(caller: Caller, id: string, expected: number | null): Promise<void> {
  const doc = await load(caller, id);
  demandKeeper(caller, doc, 'event subscription', 'delete');
  demandVersionOf(doc, 'event subscription', expected);
  await subscriptionCollection().deleteOne({ _id: id, ...boundedBy(caller) });
}

const MOST_PER_SOURCE = 100;

/** Of a source that has received something. */
export const subscriptionsOf = (sourceId: string): Promise<SubscriptionDoc[]> =>
  subscriptionCollection()
    .find({ source_id: sourceId, is_active: true })
    .sort({ created_at: 1, _id: 1 })
    .limit(MOST_PER_SOURCE)
    .toArray();

export const loadSubscription = (id: string): Promise<SubscriptionDoc | null> =>
  subscriptionCollection().findOne({ _id: id });
