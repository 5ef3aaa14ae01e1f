import type { Caller } from '../domain/identity.ts';
import { rolesOf } from './memberships.ts';
import { userForCaller } from './users.ts';

/** Who acts, with the roles of this moment; null when the user is gone. For tokens, and for runs at every call. */
export async function callerOf(userId: string): Promise<Caller | null> {
  const [user, roles] = await Promise.all([userForCaller(userId), rolesOf(userId)]);
  return user && { user_id: userId, name: user.name, org_id: user.org_id, is_owner: user.is_owner, roles };
}
