import { z } from 'zod';

export const roleSchema = z.enum(['read', 'write', 'admin']);
export type Role = z.infer<typeof roleSchema>;
const RANK: Record<Role, number> = { read: 0, write: 1, admin: 2 };

/** Who asks, as every store function is told. Built once per request from the token, never from the body. */
export interface Caller {
  user_id: string;
  name: string;
  org_id: string;
  /** The owner of an organization is an admin of every workspace in it. */
  is_owner: boolean;
  /** workspace id → role */
  roles: Readonly<Record<string, Role>>;
}

export function roleIn(caller: Caller, workspaceId: string): Role | null {
  return caller.is_owner ? 'admin' : (caller.roles[workspaceId] ?? null);
}

/** Everything a member of this role holds: a larger role has the smaller ones in it. */
export const rolesWithin = (role: Role): Role[] => roleSchema.options.filter((each) => RANK[each] <= RANK[role]);

export function holds(caller: Caller, workspaceId: string, needed: Role): boolean {
  const role = roleIn(caller, workspaceId);
  return role !== null && RANK[role] >= RANK[needed];
}

/** The one that schedules and webhooks of an organization run as: nobody can sign in as it. */
export const SYSTEM_PREFIX = 'sys';
export const isSystemUser = (userId: string): boolean => userId.startsWith(`${SYSTEM_PREFIX}_`);

/** Whose run it is may answer for it, and an admin for all; what nobody has started is for all who may write. */
export const mayAnswer = (caller: Caller, run: { caller_user_id: string; workspace_id: string }): boolean =>
  run.caller_user_id === caller.user_id ||
  holds(caller, run.workspace_id, isSystemUser(run.caller_user_id) ? 'write' : 'admin');

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  is_owner: z.boolean(),
});
export type User = z.infer<typeof userSchema>;

export const meSchema = z.object({
  user: userSchema,
  organization: z.object({ id: z.string(), name: z.string() }),
  workspaces: z.array(z.object({ id: z.string(), name: z.string(), role: roleSchema })),
});
export type Me = z.infer<typeof meSchema>;

export const signInBody = z.strictObject({ email: z.email().max(320), password: z.string().min(1).max(1024) });
export const signInLinkBody = z.strictObject({ token: z.string().min(20).max(200) });
export const signedInSchema = z.object({ token: z.string(), expires_at: z.iso.datetime(), user: userSchema });

export const passwordBody = z.strictObject({
  password: z.string().min(10).max(1024),
  current_password: z.string().max(1024).optional(),
});

export const createApiKeyBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  expires_at: z.iso.datetime().optional(),
});
export const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;
export const createdApiKeySchema = apiKeySchema.extend({ key: z.string() });

export const memberSchema = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
  since: z.iso.datetime(),
});
export type Member = z.infer<typeof memberSchema>;
export const addMemberBody = z.strictObject({
  email: z.email().max(320),
  name: z.string().trim().min(1).max(100).optional(),
  role: roleSchema,
});
export const memberRoleBody = z.strictObject({ role: roleSchema });
/** The link is for somebody new only: whoever invites a known user must not be able to sign in as them. */
export const addedMemberSchema = memberSchema.extend({ sign_in_link: z.string().nullable() });
