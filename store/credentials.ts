import type { Agent } from '../domain/agent.ts';
import { type Credential, providerCredential } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { isPrivateHost, readAddress } from '../domain/private-address.ts';
import { findAgent } from './agents.ts';
import { listOwned, removeOwned, setOwned } from './owned-credentials.ts';
import type { SecretKeys } from './secrets.ts';
import { demandRole } from './tenancy.ts';

/** Who makes agents keeps the credentials of their own, and an admin those of all. */
async function demandAgent(caller: Caller, id: string): Promise<Agent> {
  const agent = await findAgent(caller, id);
  const needed = agent.created_by === caller.user_id ? 'write' : 'admin';
  demandRole(caller, agent.workspace_id, needed, `keep the credentials of ${agent.name}`);
  return agent;
}

/**
 * Servers on private addresses are how local models are run, and also what nobody outside should be able to reach
 * through us: so an admin decides about them.
 */
function demandAddress(caller: Caller, { workspace_id }: Agent, value: string): boolean {
  const url = readAddress(value);
  if (typeof url === 'string') {
    throw new Failure('invalid_request', `The value is not valid: ${url} is expected.`, { fields: { value: url } });
  }
  const mayBePrivate = holds(caller, workspace_id, 'admin');
  if (!mayBePrivate && isPrivateHost(url.hostname)) {
    throw new Failure('forbidden', 'Only an admin can point an agent at an address in a private network.', {
      key: 'api_base',
    });
  }
  return mayBePrivate;
}

/** Sets or replaces it. Safe to repeat. */
export async function setCredential(
  caller: Caller,
  keys: SecretKeys,
  { agent_id, key, value }: { agent_id: string; key: string; value: string },
): Promise<Credential> {
  const agent = await demandAgent(caller, agent_id);
  const { provider, part } = providerCredential(key, agent) ?? { provider: null, part: null };
  const may_be_private = part === 'api_base' ? demandAddress(caller, agent, value) : false;
  return setOwned(caller, keys, { owner: agent_id, key, value, meaning: { provider, part, may_be_private } });
}

export async function listCredentials(caller: Caller, agentId: string): Promise<Credential[]> {
  await demandAgent(caller, agentId);
  return listOwned(caller, agentId);
}

export async function removeCredential(caller: Caller, agentId: string, key: string): Promise<void> {
  await demandAgent(caller, agentId);
  await removeOwned(caller, agentId, key);
}
