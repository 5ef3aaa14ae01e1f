import { z } from 'zod';
import { addedMemberSchema, addMemberBody, memberRoleBody, memberSchema } from '../../domain/identity.ts';
import { addMember, changeRole, listMembers, removeMember } from '../../store/memberships.ts';
import { createSignInLink } from '../../store/sign-in-links.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';
import { signInUrl } from '../sign-in-url.ts';

const oneMember = z.strictObject({ id: idOf('ws'), user_id: idOf('usr') });
const INVITATION_MS = 7 * 24 * 3_600_000;

export const memberRoutes = ({ identity, publicUrl }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/workspaces/:id/members',
    tag: 'Workspaces',
    summary: 'Add a member or change a role (admin); somebody new gets a one-time sign-in link, valid for a week',
    params: idParam('ws'),
    body: addMemberBody,
    shows: ['email', 'name', 'role'],
    replies: { 201: addedMemberSchema },
    handler: async ({ caller, params, newId, body: { email, name, role } }) => {
      const person = { id: newId('usr'), email, name: name ?? email, role };
      const { member, is_new_user } = await addMember(caller, params.id, person);
      identity.forget();
      const link = is_new_user ? signInUrl(publicUrl, await createSignInLink(member.user_id, INVITATION_MS)) : null;
      return { status: 201, body: { ...member, sign_in_link: link } };
    },
  }),
  route({
    method: 'get',
    path: '/workspaces/:id/members',
    tag: 'Workspaces',
    summary: 'Who is a member of a workspace, and as what',
    params: idParam('ws'),
    query: z.strictObject(pageQuery),
    replies: { 200: pageSchema(memberSchema) },
    handler: async ({ caller, params, query }) => ({ status: 200, body: await listMembers(caller, params.id, query) }),
  }),
  route({
    method: 'put',
    path: '/workspaces/:id/members/:user_id',
    tag: 'Workspaces',
    summary: 'Change the role of a member (admin)',
    params: oneMember,
    body: memberRoleBody,
    replies: { 200: memberSchema },
    handler: async ({ caller, params, body }) => {
      const member = await changeRole(caller, params.id, params.user_id, body.role);
      identity.forget();
      return { status: 200, body: member };
    },
  }),
  route({
    method: 'delete',
    path: '/workspaces/:id/members/:user_id',
    tag: 'Workspaces',
    summary: 'Remove a member (admin)',
    params: oneMember,
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await removeMember(caller, params.id, params.user_id);
      identity.forget();
      return { status: 204 };
    },
  }),
];
