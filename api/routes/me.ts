import { Failure } from '../../domain/failures.ts';
import { meSchema, passwordBody } from '../../domain/identity.ts';
import { ownOrganization } from '../../store/organizations.ts';
import { countSignInTry } from '../../store/sign-in-tries.ts';
import { findUser, passwordHashOf, setPasswordHash } from '../../store/users.ts';
import { listWorkspaces } from '../../store/workspaces.ts';
import { hashPassword, passwordFits } from '../passwords.ts';
import { invalid, type Route, route } from '../route.ts';

const ALL_WORKSPACES = 1_000;

export const meRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/me',
    tag: 'Identity',
    summary: 'Who you are, and the workspaces you are a member of',
    replies: { 200: meSchema },
    handler: async ({ caller }) => {
      const [user, organization, { items }] = await Promise.all([
        findUser(caller, caller.user_id),
        ownOrganization(caller),
        listWorkspaces(caller, { limit: ALL_WORKSPACES }),
      ]);
      const workspaces = items.map(({ id, name, role }) => ({ id, name, role }));
      return { status: 200, body: { user, organization, workspaces } };
    },
  }),
  route({
    method: 'put',
    path: '/me/password',
    tag: 'Identity',
    summary: 'Set or change your password',
    body: passwordBody,
    replies: { 204: null },
    handler: async ({ caller, body: { password, current_password } }) => {
      const stored = await passwordHashOf(caller);
      if (stored !== null) {
        const retry_after_s = await countSignInTry([{ key: `password:${caller.user_id}`, perMinute: 10 }]);
        if (retry_after_s > 0) throw new Failure('too_many_requests', 'Too many tries.', { retry_after_s });
        if (!(await passwordFits(stored, current_password ?? ''))) {
          throw invalid('body', { current_password: 'this is not the current password' });
        }
      }
      await setPasswordHash(caller, await hashPassword(password));
      return { status: 204 };
    },
  }),
];
