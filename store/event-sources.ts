import mongoose from 'mongoose';
import type { ChangeSource, CreateSource, EventSource } from '../domain/event.ts';
import type { Caller } from '../domain/identity.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { loadCredentials } from './credential-upkeep.ts';
import { forgetOwned, setOwned } from './owned-credentials.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { newSecret, type SecretKeys } from './secrets.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandKeeper, demandVersionOf } from './trigger-target.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

export interface SourceDoc extends CreateSource {
  _id: string;
  org_id: string;
  version: number;
  deleted_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_by: string;
  updated_at: Date;
}

const schema = new mongoose.Schema<SourceDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    name: String,
    description: String,
    is_active: Boolean,
    version: Number,
    deleted_at: Date,
    created_by: String,
    created_at: Date,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'event_sources', versionKey: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
const SourceModel = mongoose.model<SourceDoc>('EventSource', schema);
const sourceCollection = () => nativeCollection<SourceDoc>('event_sources');

/** Without its address, which only those know who serve it. */
export type StoredSource = Omit<EventSource, 'url'>;

const toSource = (doc: SourceDoc): StoredSource => ({
  id: doc._id,
  workspace_id: doc.workspace_id,
  name: doc.name,
  description: doc.description,
  is_active: doc.is_active,
  version: doc.version,
  created_by: doc.created_by,
  created_at: doc.created_at.toISOString(),
  updated_at: doc.updated_at.toISOString(),
});

async function load(caller: Caller, id: string): Promise<SourceDoc> {
  const found = await sourceCollection().findOne({ _id: id, ...boundedBy(caller), deleted_at: null });
  if (!found) throw missing('event source', id);
  return found;
}

/** The sealed secret lies with all others, and is sealed anew with them when the key changes. */
const SECRET = 'hook_secret';

async function giveSecret(caller: Caller, keys: SecretKeys, id: string): Promise<string> {
  const secret = `whsec_${newSecret()}`;
  await setOwned(caller, keys, { owner: id, key: SECRET, value: secret });
  return secret;
}

/** With its secret, which is never told again. */
export async function createSource(
  caller: Caller,
  keys: SecretKeys,
  { id, ...source }: CreateSource & { id: string },
): Promise<StoredSource & { secret: string }> {
  await demandWorkspace(caller, source.workspace_id, 'write', 'make event sources');
  const now = new Date();
  const made = { created_by: caller.user_id, created_at: now, updated_by: caller.user_id, updated_at: now };
  const doc: SourceDoc = { _id: id, org_id: caller.org_id, ...source, ...made, version: 1, deleted_at: null };
  await sourceCollection()
    .insertOne(doc)
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  const stored = await load(caller, id);
  return { ...toSource(stored), secret: await giveSecret(caller, keys, id) };
}

export const findSource = async (caller: Caller, id: string): Promise<StoredSource> => toSource(await load(caller, id));

export async function listSources(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<StoredSource>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  const where = { $and: [boundedBy(caller, workspaceId), { deleted_at: null }] };
  return readPage(SourceModel, where, page, toSource);
}

async function write(
  caller: Caller,
  id: string,
  expected: number | null,
  action: string,
  change: Partial<SourceDoc>,
): Promise<SourceDoc> {
  for (;;) {
    const doc = await load(caller, id);
    demandKeeper(caller, doc, 'event source', action);
    demandVersionOf(doc, 'event source', expected);
    const after = await sourceCollection().findOneAndUpdate(
      { _id: id, version: doc.version, deleted_at: null },
      { $set: { ...change, version: doc.version + 1, updated_by: caller.user_id, updated_at: new Date() } },
      { returnDocument: 'after' },
    );
    if (after) return after;
  }
}

export const changeSource = async (
  caller: Caller,
  id: string,
  { name, description, is_active }: ChangeSource,
  expected: number | null,
): Promise<StoredSource> => {
  const said = Object.entries({ name, description, is_active }).filter(([, value]) => value !== undefined);
  return toSource(await write(caller, id, expected, 'change', Object.fromEntries(said)));
};

/** What was signed with the one before is refused from now on. */
export async function renewSecret(
  caller: Caller,
  keys: SecretKeys,
  id: string,
): Promise<StoredSource & { secret: string }> {
  const doc = await write(caller, id, null, 'change', {});
  return { ...toSource(doc), secret: await giveSecret(caller, keys, id) };
}

/** Its deliveries stay to be read. */
export async function deleteSource(caller: Caller, id: string, expected: number | null): Promise<void> {
  await write(caller, id, expected, 'delete', { is_active: false, deleted_at: new Date() });
  await forgetOwned(caller, id);
}

/** For who receives a webhook: nobody has said who they are yet. Null where it takes none. */
export async function loadSource(id: string): Promise<SourceDoc | null> {
  return sourceCollection().findOne({ _id: id, is_active: true, deleted_at: null });
}

export async function loadHookSecret(keys: SecretKeys, { org_id, _id }: SourceDoc): Promise<string | null> {
  const found = await loadCredentials(keys, org_id, _id);
  return found.find(({ key }) => key === SECRET)?.value ?? null;
}
