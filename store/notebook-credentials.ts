import type { Credential, NotebookCredential } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { Notebook } from '../domain/workspace.ts';
import { loadCredentials } from './credential-upkeep.ts';
import { findNotebook } from './notebooks.ts';
import { listOwned, removeOwned, setOwned } from './owned-credentials.ts';
import type { SecretKeys } from './secrets.ts';
import { demandRole } from './tenancy.ts';

async function demandGitNotebook(caller: Caller, id: string): Promise<Notebook> {
  const notebook = await findNotebook(caller, id);
  demandRole(caller, notebook.workspace_id, 'admin', `keep the credentials of ${notebook.name}`);
  if (notebook.kind !== 'git') {
    throw new Failure('conflict', `${notebook.name} is a folder: only git notebooks have credentials.`);
  }
  return notebook;
}

/** Sets or replaces it. Safe to repeat. */
export async function setNotebookCredential(
  caller: Caller,
  keys: SecretKeys,
  { notebook_id, key, value }: NotebookCredential & { notebook_id: string },
): Promise<Credential> {
  await demandGitNotebook(caller, notebook_id);
  return setOwned(caller, keys, { owner: notebook_id, key, value });
}

export async function listNotebookCredentials(caller: Caller, notebookId: string): Promise<Credential[]> {
  await demandGitNotebook(caller, notebookId);
  return listOwned(caller, notebookId);
}

export async function removeNotebookCredential(caller: Caller, notebookId: string, key: string): Promise<void> {
  await demandGitNotebook(caller, notebookId);
  await removeOwned(caller, notebookId, key);
}

export interface NotebookAccess {
  username?: string;
  token?: string;
  ssh_key?: string;
}

/** Open, for whoever is about to talk to the remote on behalf of the organization. Null where there is none. */
export async function loadNotebookAccess(
  keys: SecretKeys,
  orgId: string,
  notebookId: string,
): Promise<NotebookAccess | null> {
  const found = await loadCredentials(keys, orgId, notebookId);
  const access: NotebookAccess = {};
  for (const { key, value } of found) {
    if (value === null) {
      throw new Failure('credential_unreadable', `The credential ${key} of the notebook does not open.`, { key });
    }
    if (key === 'username' || key === 'token' || key === 'ssh_key') access[key] = value;
  }
  return found.length === 0 ? null : access;
}
