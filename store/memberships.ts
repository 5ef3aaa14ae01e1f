import mongoose from 'mongoose';
import type { Caller, Member, Role } from '../domain/identity.ts';
import { isDuplicate } from './connection.ts';
import { newId } from './ids.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import { findUser, inviteUser, usersById } from './users.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

interface MembershipDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  user_id: string;
  role: Role;
  created_at: Date;
}

const schema = new mongoose.Schema<MembershipDoc>(
  { _id: String, org_id: String, workspace_id: String, user_id: String, role: String, created_at: Date },
  { collection: 'memberships', versionKey: false },
);
schema.index({ user_id: 1, workspace_id: 1 }, { unique: true });
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
const MembershipModel = mongoose.model<MembershipDoc>('Membership', schema);

const MANAGE = 'change who is a member';

/** For building a caller: there is none yet who could ask. */
export async function rolesOf(userId: string): Promise<Record<string, Role>> {
  const found = await MembershipModel.find({ user_id: userId }, { workspace_id: 1, role: 1 }).lean<MembershipDoc[]>();
  return Object.fromEntries(found.map(({ workspace_id, role }) => [workspace_id, role]));
}

export async function listMembers(caller: Caller, workspaceId: string, page: PageRequest): Promise<Page<Member>> {
  await findWorkspace(caller, workspaceId);
  const { items, next_cursor } = await readPage(MembershipModel, boundedBy(caller, workspaceId), page, (doc) => doc);
  const users = await usersById(
    caller,
    items.map(({ user_id }) => user_id),
  );
  return {
    next_cursor,
    items: items.flatMap(({ user_id, role, created_at }) => {
      const user = users.get(user_id);
      return user ? [{ user_id, email: user.email, name: user.name, role, since: created_at.toISOString() }] : [];
    }),
  };
}

async function setRole(caller: Caller, workspaceId: string, userId: string, role: Role): Promise<MembershipDoc> {
  const one = { org_id: caller.org_id, workspace_id: workspaceId, user_id: userId };
  const set = { $set: { role }, $setOnInsert: { _id: newId('mem'), created_at: new Date() } };
  const write = () =>
    MembershipModel.findOneAndUpdate(one, set, { upsert: true, returnDocument: 'after' }).lean<MembershipDoc>();
  const written = await write().catch((error) => {
    // Two who add the same person at once: the second finds the first's row.
    if (isDuplicate(error)) return write();
    throw error;
  });
  if (!written) throw missing('member', userId);
  return written;
}

export interface NewMember {
  id: string;
  email: string;
  name: string;
  role: Role;
}

/** Somebody of the organization, or somebody new to it, under `id`; again for a member, it changes the role. */
export async function addMember(
  caller: Caller,
  workspaceId: string,
  { role, ...person }: NewMember,
): Promise<{ member: Member; is_new_user: boolean }> {
  await demandWorkspace(caller, workspaceId, 'admin', MANAGE);
  const { user, is_new } = await inviteUser(caller, person);
  const { created_at } = await setRole(caller, workspaceId, user.id, role);
  const member = { user_id: user.id, email: user.email, name: user.name, role, since: created_at.toISOString() };
  return { member, is_new_user: is_new };
}

/** Of somebody who is a member already. The owner administers every workspace, whatever stands here. */
export async function changeRole(caller: Caller, workspaceId: string, userId: string, role: Role): Promise<Member> {
  await demandWorkspace(caller, workspaceId, 'admin', MANAGE);
  const { id, email, name } = await findUser(caller, userId);
  const changed = await MembershipModel.findOneAndUpdate(
    { ...boundedBy(caller, workspaceId), user_id: userId },
    { $set: { role } },
    { returnDocument: 'after' },
  ).lean<MembershipDoc>();
  if (!changed) throw missing('member', userId);
  return { user_id: id, email, name, role, since: changed.created_at.toISOString() };
}

export async function removeMember(caller: Caller, workspaceId: string, userId: string): Promise<void> {
  await demandWorkspace(caller, workspaceId, 'admin', MANAGE);
  await findUser(caller, userId);
  const { deletedCount } = await MembershipModel.deleteOne({ ...boundedBy(caller, workspaceId), user_id: userId });
  if (deletedCount === 0) throw missing('member', userId);
}
