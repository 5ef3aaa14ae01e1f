import type { Role } from '../domain/identity.ts';

/** What each role may do, in words; the table of the documents in a line each. */
export const ROLES: readonly { role: Role; name: string; may: string }[] = [
  { role: 'read', name: 'Read', may: 'sees agents, runs and files; starts runs that change nothing' },
  { role: 'write', name: 'Write', may: 'also changes files, starts runs that do, and makes agents' },
  { role: 'admin', name: 'Admin', may: 'also answers for all runs, and manages notebooks, members and shared agents' },
];

export const isAdmin = (role: Role | undefined): boolean => role === 'admin';
