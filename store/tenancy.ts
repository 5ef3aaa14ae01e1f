import { Failure } from '../domain/failures.ts';
import { type Caller, holds, type Role, roleIn } from '../domain/identity.ts';

/**
 * The one place that says how far a caller reaches. Every query on something that lies in a workspace carries one of
 * these filters; a filter from the outside is never spread over them, it goes through `boundedBy`.
 */
interface Reach {
  org_id: string;
  workspace_id?: string | { $in: string[] };
}

/** All workspaces the caller is a member of; the owner's reach is the whole organization. */
export function visibleWorkspaces(caller: Caller): Reach {
  return caller.is_owner
    ? { org_id: caller.org_id }
    : { org_id: caller.org_id, workspace_id: { $in: Object.keys(caller.roles) } };
}

/** The same, narrowed to one workspace where one is named. What cannot be seen is not there. */
export function boundedBy(caller: Caller, workspaceId?: string): Reach {
  if (workspaceId === undefined) return visibleWorkspaces(caller);
  if (roleIn(caller, workspaceId) === null) throw missing('workspace', workspaceId);
  return { org_id: caller.org_id, workspace_id: workspaceId };
}

export const missing = (noun: string, id: string): Failure =>
  new Failure('not_found', `There is no ${noun} ${id} that you can see.`, { id });

/** For what the caller can see already: 404 without any role, 403 with too small a one. */
export function demandRole(caller: Caller, workspaceId: string, needed: Role, action: string): void {
  if (roleIn(caller, workspaceId) === null) throw missing('workspace', workspaceId);
  if (!holds(caller, workspaceId, needed)) {
    throw new Failure('forbidden', `Only members with the role ${needed} can ${action}.`, {
      workspace_id: workspaceId,
      role: roleIn(caller, workspaceId),
      needed,
    });
  }
}

export function demandOwner(caller: Caller, action: string): void {
  if (!caller.is_owner) throw new Failure('forbidden', `Only the owner of the organization can ${action}.`);
}
