import type { Me, Member } from '../domain/identity.ts';

/** Those of a workspace, to choose from: oneself first. */
export const peopleIn = (members: Member[], me: Me | undefined): { value: string; name: string }[] => [
  ...(me ? [{ value: me.user.id, name: 'Me' }] : []),
  ...members.filter(({ user_id }) => user_id !== me?.user.id).map(({ user_id, name }) => ({ value: user_id, name })),
];
