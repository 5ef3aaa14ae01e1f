import { type Caller, SYSTEM_PREFIX } from '../domain/identity.ts';
import { newId } from './ids.ts';
import { ensureUser } from './users.ts';

export const SYSTEM_NAME = 'System';

export const systemUserId = (orgId: string): string => newId(SYSTEM_PREFIX, `system user of ${orgId}`);

/**
 * Who schedules and webhooks of an organization run as. It may do in a workspace what members with the role write may,
 * and reaches no other: who makes a trigger there holds as much already.
 */
export async function systemCaller(orgId: string, workspaceId: string): Promise<Caller> {
  const user_id = systemUserId(orgId);
  await ensureUser({
    id: user_id,
    org_id: orgId,
    email: null,
    name: SYSTEM_NAME,
    is_owner: false,
    is_system: true,
  });
  return { user_id, name: SYSTEM_NAME, org_id: orgId, is_owner: false, roles: { [workspaceId]: 'write' } };
}
