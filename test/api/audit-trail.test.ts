import { expect, test } from 'vitest';
import { actionOf } from '../../api/audit-trail.ts';

test.each([
  ['post', '/agents', 'agents.create'],
  ['put', '/agents/:id', 'agents.update'],
  ['post', '/agents/:id/activate', 'agents.activate'],
  ['post', '/agents/:id/credentials', 'agents.credentials.create'],
  ['delete', '/agents/:id/credentials/:key', 'agents.credentials.delete'],
  ['delete', '/workspaces/:id/members/:user_id', 'workspaces.members.delete'],
  ['post', '/auth/sign-in', 'auth.sign-in'],
  ['put', '/me/password', 'me.password.update'],
  ['post', '/knowledge', 'knowledge.create'],
] as const)('%s %s is told as %s', (method, path, action) => {
  expect(actionOf({ method, path })).toBe(action);
});
