import mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import { GITHUB_API, type GithubAccess, type GithubIntegration, type SetGithubIntegration } from '../domain/github.ts';
import type { Caller } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';
import { loadCredentials } from './credential-upkeep.ts';
import { forgetOwned, listOwned, setOwned } from './owned-credentials.ts';
import type { SecretKeys } from './secrets.ts';
import { missing } from './tenancy.ts';
import { demandWorkspace } from './workspaces.ts';

interface GithubDoc {
  /** The workspace. */
  _id: string;
  org_id: string;
  enabled: boolean;
  api_url: string;
  updated_by: string;
  updated_at: Date;
}

const schema = new mongoose.Schema<GithubDoc>(
  { _id: String, org_id: String, enabled: Boolean, api_url: String, updated_by: String, updated_at: Date },
  { collection: 'github_integrations', versionKey: false },
);
mongoose.model<GithubDoc>('GithubIntegration', schema);
const integrations = () => nativeCollection<GithubDoc>('github_integrations');

/** The token lies among the credentials, as of an agent of this name: one seal, one change of keys for all of them. */
const holderOf = (workspaceId: string): string => `github:${workspaceId}`;
const KEY = 'token';

async function shown(caller: Caller, workspaceId: string): Promise<GithubIntegration> {
  const mine = { org_id: caller.org_id };
  const [doc, tokens] = await Promise.all([
    integrations().findOne({ _id: workspaceId, ...mine }),
    listOwned(caller, holderOf(workspaceId)),
  ]);
  return {
    workspace_id: workspaceId,
    kind: 'github',
    enabled: doc?.enabled ?? false,
    api_url: doc?.api_url ?? GITHUB_API,
    has_token: tokens.length > 0,
    updated_at: doc?.updated_at.toISOString() ?? null,
  };
}

/** Off where nobody has turned it on. */
export async function githubIntegration(caller: Caller, workspaceId: string): Promise<GithubIntegration> {
  await demandWorkspace(caller, workspaceId, 'admin', 'see the integrations');
  return shown(caller, workspaceId);
}

/** Sets or replaces it. Safe to repeat. */
export async function setGithubIntegration(
  caller: Caller,
  keys: SecretKeys,
  { workspace_id, enabled, token, ...wanted }: SetGithubIntegration,
): Promise<GithubIntegration> {
  await demandWorkspace(caller, workspace_id, 'admin', 'change the integrations');
  const { org_id } = caller;
  const before = await shown(caller, workspace_id);
  const api_url = wanted.api_url ?? before.api_url;
  if (token === undefined && before.has_token && api_url !== before.api_url) {
    throw new Failure('invalid_request', 'For another address give the token again: it was meant for the one before.', {
      fields: { token: 'the token for this address is expected' },
    });
  }
  if (enabled && token === undefined && !before.has_token) {
    throw new Failure('invalid_request', 'It cannot be turned on without a token.', {
      fields: { token: 'a token with the right to open pull requests is expected' },
    });
  }
  const now = new Date();
  if (token !== undefined) {
    await setOwned(caller, keys, { owner: holderOf(workspace_id), key: KEY, value: token });
  }
  await integrations().updateOne(
    { _id: workspace_id },
    { $set: { org_id, enabled, api_url, updated_by: caller.user_id, updated_at: now } },
    { upsert: true },
  );
  return shown(caller, workspace_id);
}

/** With its token. */
export async function removeGithubIntegration(caller: Caller, workspaceId: string): Promise<void> {
  await demandWorkspace(caller, workspaceId, 'admin', 'change the integrations');
  const mine = { org_id: caller.org_id };
  await forgetOwned(caller, holderOf(workspaceId));
  const { deletedCount } = await integrations().deleteOne({ _id: workspaceId, ...mine });
  if (deletedCount === 0) throw missing('integration', 'github');
}

/** For a run that is about to open a pull request; null where it is off. */
export async function loadGithubAccess(
  keys: SecretKeys,
  orgId: string,
  workspaceId: string,
): Promise<GithubAccess | null> {
  const doc = await integrations().findOne({ _id: workspaceId, org_id: orgId });
  if (!doc?.enabled) return null;
  const [found] = await loadCredentials(keys, orgId, holderOf(workspaceId));
  if (!found) return null;
  if (found.value === null) {
    throw new Failure('credential_unreadable', 'The token of the GitHub integration does not open.');
  }
  return { api_url: doc.api_url, token: found.value };
}
