import type { Caller, Role } from '../domain/identity.ts';
import { createApiKey } from '../store/api-keys.ts';
import { callerOf } from '../store/callers.ts';
import { newId } from '../store/ids.ts';
import { addMember } from '../store/memberships.ts';
import { ensureOrganization } from '../store/organizations.ts';
import { ensureUser } from '../store/users.ts';

/** The owner of a new organization. */
export async function newOwner(name = 'Owner'): Promise<Caller> {
  const [id, org_id] = [newId('usr'), newId('org')];
  await ensureOrganization(org_id, `The organization of ${name}`);
  await ensureUser({ id, org_id, email: `${id}@example.org`, name, is_owner: true, is_system: false });
  return { user_id: id, name, org_id, is_owner: true, roles: {} };
}

/** Somebody new who has this role in the workspace. */
export async function newMember(owner: Caller, workspaceId: string, role: Role): Promise<Caller> {
  const id = newId('usr');
  await addMember(owner, workspaceId, { id, email: `${id}@example.org`, name: `Some ${role}`, role });
  const caller = await callerOf(id);
  if (!caller) throw new Error('the member is not there');
  return caller;
}

export const newKey = async (caller: Caller): Promise<string> =>
  (await createApiKey(caller, { id: newId('key'), name: 'Test', expires_at: null })).key;
