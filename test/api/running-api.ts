import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { type AppDeps, createApp } from '../../api/app.ts';
import { prepareInstallation } from '../../api/first-start.ts';
import { createIdentity } from '../../api/identity.ts';
import { LiveHub } from '../../api/live-hub.ts';
import type { OidcSettings } from '../../api/oidc.ts';
import { RunCommands } from '../../api/run-commands.ts';
import type { Role } from '../../domain/identity.ts';
import { CAPABILITIES } from '../../domain/model.ts';
import { ensureApiKey } from '../../store/api-keys.ts';
import { disconnectStore } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { ensureOrganization } from '../../store/organizations.ts';
import { ensureUser } from '../../store/users.ts';
import { ownStore } from '../own-store.ts';

export const SECRET_KEY = 'a secret key for tests only';

const quiet = pino({ level: 'silent' });

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body, it says in its assertions
  body: any;
}

export interface Call {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Api = Awaited<ReturnType<typeof startApi>>;

type Options = Partial<AppDeps> & { oidc?: OidcSettings };

/** The API as it is deployed, on a port of its own and a database of its own; only Temporal is not there. */
export async function startApi({ oidc, ...deps }: Options = {}) {
  await ownStore();
  const builtinModels = deps.builtinModels ?? { editor: undefined, dispatcher: undefined };
  const ownerKey = `bootstrap-${randomBytes(16).toString('hex')}`;
  await prepareInstallation({ ownerEmail: 'owner@example.org', bootstrapKey: ownerKey, sample: null, builtinModels });

  const home = await mkdtemp(join(tmpdir(), 'longhaul-home-'));
  const connection = Connection.lazy({ address: '127.0.0.1:1' });
  const hub = new LiveHub(quiet);
  const draining = new AbortController();
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity = createIdentity({ secretKey: SECRET_KEY, oidc });
  const app = createApp({
    identity,
    runs: new RunCommands(
      { client: new Client({ connection }), taskQueue: 'none', heartbeatMs: 5_000, maxHistory: 2_000 },
      quiet,
      join(home, 'forks'),
    ),
    hub,
    secretKey: SECRET_KEY,
    publicUrl: url,
    logger: quiet,
    notebookRoots: [],
    mirrorsDir: join(home, 'mirrors'),
    builtinModels,
    providers: { demo: CAPABILITIES.demo, ollama: CAPABILITIES.ollama },
    readiness: async () => ({ mongodb: true }),
    draining: draining.signal,
    checkReplies: true,
    ...deps,
  });
  server.on('request', app);

  /** As the owner, unless another token or none is given. A body that is a string is sent as it is. */
  async function send(
    method: string,
    path: string,
    { token = ownerKey, body, headers = {} }: Call = {},
  ): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  const call = (method: string, path: string, more: Call = {}) =>
    send(method, path.startsWith('/api/') ? path : `/api/v1${path}`, more);

  const workspace = async (name = 'Workspace'): Promise<string> =>
    (await call('POST', '/workspaces', { body: { name } })).body.id;

  /** A token of somebody new who has this role in the workspace. */
  async function member(workspaceId: string, role: Role): Promise<{ token: string; user_id: string; email: string }> {
    const email = `${newId('x')}@example.org`;
    const added = await call('POST', `/workspaces/${workspaceId}/members`, { body: { email, role } });
    const token = new URL(added.body.sign_in_link).hash.replace('#token=', '');
    const signedIn = await call('POST', '/auth/link', { token: null, body: { token } });
    return { token: signedIn.body.token, user_id: added.body.user_id, email };
  }

  /** The API key of the owner of another organization in the same installation. */
  async function foreignOwner(): Promise<string> {
    const [org_id, user_id, token] = [newId('org'), newId('usr'), `foreign-${newId('key')}`];
    await ensureOrganization(org_id, 'Another organization');
    const email = `${user_id}@elsewhere.example`;
    await ensureUser({ id: user_id, org_id, email, name: 'Stranger', is_owner: true, is_system: false });
    await ensureApiKey({ id: newId('key'), org_id, user_id, name: 'Key', token });
    return token;
  }

  return {
    url,
    send,
    call,
    workspace,
    member,
    foreignOwner,
    ownerKey,
    identity,
    async stop() {
      draining.abort();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await hub.stop();
      await connection.close();
      await disconnectStore();
      await rm(home, { recursive: true, force: true });
    },
  };
}
