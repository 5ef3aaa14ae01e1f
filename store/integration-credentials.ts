import type { Credential } from '../domain/credential.ts';
import type { Caller } from '../domain/identity.ts';
import { findDefinition } from './definitions.ts';
import { listOwned, removeOwned, setOwned } from './owned-credentials.ts';
import type { SecretKeys } from './secrets.ts';
import { demandRole } from './tenancy.ts';

async function demandIntegration(caller: Caller, id: string): Promise<void> {
  const { workspace_id, name } = await findDefinition(caller, 'integration', id);
  demandRole(caller, workspace_id ?? '', 'admin', `keep the credentials of ${name}`);
}

/** Safe to repeat. */
export async function setIntegrationCredential(
  caller: Caller,
  keys: SecretKeys,
  { integration_id: owner, key, value }: { integration_id: string; key: string; value: string },
): Promise<Credential> {
  await demandIntegration(caller, owner);
  return setOwned(caller, keys, { owner, key, value });
}

export async function listIntegrationCredentials(caller: Caller, id: string): Promise<Credential[]> {
  await demandIntegration(caller, id);
  return listOwned(caller, id);
}

export async function removeIntegrationCredential(caller: Caller, id: string, key: string): Promise<void> {
  await demandIntegration(caller, id);
  await removeOwned(caller, id, key);
}
