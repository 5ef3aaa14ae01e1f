import { createHmac } from 'node:crypto';
import type { NewAgent } from './agents.ts';
import { ensureBuiltinAgent } from './agents.ts';
import { dropApiKey, ensureApiKey, tokenOf } from './api-keys.ts';
import { newId } from './ids.ts';
import { ensureNotebook } from './notebooks.ts';
import { ensureOrganization } from './organizations.ts';
import { SYSTEM_NAME, systemUserId } from './system-user.ts';
import { ensureUser, setEmail } from './users.ts';
import { ensureWorkspace } from './workspaces.ts';

/**
 * What every installation begins with. The ids follow from fixed seeds, so that processes that start at once make the
 * same rows, and every later start finds them.
 */
const ORGANIZATION = newId('org', 'first organization');
export const OWNER = newId('usr', 'first owner');
const SYSTEM_USER = systemUserId(ORGANIZATION);
const WORKSPACE = newId('ws', 'sample workspace');

export async function ensureInstallation(ownerEmail: string | undefined): Promise<void> {
  const member = { org_id: ORGANIZATION, is_owner: false, is_system: false };
  await ensureOrganization(ORGANIZATION, 'My organization');
  await ensureUser({
    ...member,
    id: OWNER,
    name: 'Owner',
    email: ownerEmail ?? 'owner@longhaul.local',
    is_owner: true,
  });
  await ensureUser({ ...member, id: SYSTEM_USER, name: SYSTEM_NAME, email: null, is_system: true });
  if (ownerEmail !== undefined) await setEmail(OWNER, ownerEmail);
  await ensureWorkspace(WORKSPACE, ORGANIZATION, 'Sample workspace');
}

type SampleAgent = Omit<NewAgent, 'id' | 'workspace_id'>;

/** A notebook, an agent to work on it, and one that the first can hand work to. */
export async function ensureSample(path: string, assistant: SampleAgent, reviewer: SampleAgent): Promise<void> {
  const id = newId('nb', 'sample notebook');
  await ensureNotebook(ORGANIZATION, { id, workspace_id: WORKSPACE, name: 'Sample notebook', kind: 'folder', path });
  const builtin = (agent: SampleAgent, seed: string): NewAgent => ({
    ...agent,
    id: newId('agt', seed),
    workspace_id: WORKSPACE,
  });
  const below = builtin(reviewer, 'demo reviewer');
  const delegated_agents = [{ agent_id: below.id }];
  await ensureBuiltinAgent(ORGANIZATION, SYSTEM_USER, builtin({ ...assistant, delegated_agents }, 'demo assistant'));
  await ensureBuiltinAgent(ORGANIZATION, SYSTEM_USER, below);
}

const ownerKey = { org_id: ORGANIZATION, user_id: OWNER };

/** The key the operator gives in the environment is the owner's for as long as it is given. */
export async function ensureBootstrapKey(token: string | undefined): Promise<void> {
  const id = newId('key', 'bootstrap');
  if (token === undefined) await dropApiKey(id);
  else await ensureApiKey({ ...ownerKey, id, name: 'Bootstrap key', token });
}

/**
 * A key for the command line on this machine. It follows from SECRET_KEY, so that API processes that start at once
 * agree on it without a file between them; where the owner has revoked one, the next in line takes its place.
 */
export async function ensureCliKey(secretKey: string, machine: string): Promise<string> {
  for (let n = 1; ; n++) {
    const id = newId('key', `cli ${machine} ${n}`);
    const token = tokenOf(id, createHmac('sha256', secretKey).update(id).digest('base64url'));
    if (await ensureApiKey({ ...ownerKey, id, name: 'CLI on this machine', token })) return token;
  }
}
