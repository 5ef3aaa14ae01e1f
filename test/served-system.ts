import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type AppDeps, createApp } from '../api/app.ts';
import { createIdentity } from '../api/identity.ts';
import { attachLive } from '../api/live.ts';
import { LiveHub, type RunListener } from '../api/live-hub.ts';
import { createAgentBody } from '../domain/agent.ts';
import type { Role } from '../domain/identity.ts';
import { CAPABILITIES } from '../domain/model.ts';
import { createAgent } from '../store/agents.ts';
import { newId } from '../store/ids.ts';
import { newKey, newMember, newOwner } from './people.ts';
import { AGENT, quiet, SECRET_KEY, type System, startSystem } from './running-system.ts';

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

/** Knows how many follow runs through it, so that a test can see whether all of them were let go. */
class CountedHub extends LiveHub {
  followers = 0;

  override follow(run: string, listener: RunListener): () => void {
    const stop = super.follow(run, listener);
    this.followers += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.followers -= 1;
      isOver = true;
      stop();
    };
  }
}

/** One API process: HTTP and sockets on a port of its own, with a change stream of its own. */
async function serve(system: System, editorModel: string, more: Partial<AppDeps> = {}) {
  const hub = new CountedHub(quiet);
  const draining = new AbortController();
  const identity = createIdentity({ secretKey: SECRET_KEY });
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = createApp({
    identity,
    hub,
    runs: system.commands,
    secretKey: SECRET_KEY,
    publicUrl: url,
    logger: system.logger,
    notebookRoots: [],
    mirrorsDir: join(system.home, 'mirrors'),
    providers: { openai: CAPABILITIES.openai },
    builtinModels: { editor: editorModel, dispatcher: editorModel },
    readiness: async () => ({ mongodb: true }),
    draining: draining.signal,
    checkReplies: true,
    ...more,
  });
  server.on('request', app);
  const live = attachLive(server, { identity, hub, logger: quiet });
  return {
    url,
    hub,
    identity,
    draining,
    async close() {
      draining.abort();
      await live.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await hub.stop();
    },
  };
}

/** The whole of a running system with its HTTP face, in this process, on real engines. */
export async function startServed(
  options: Parameters<typeof startSystem>[0] = {},
  /** What the API is given otherwise than as usual. */
  deps: Partial<AppDeps> = {},
) {
  const system = await startSystem(options);
  const editorModel = options.demoUrl ? 'demo/longhaul-demo' : 'gpt-test';
  const apis = [await serve(system, editorModel, deps)];
  const ownerKey = await newKey(system.caller);
  const api = apis[0] ?? (await serve(system, editorModel));

  /** As the owner, unless another token or none is given. A body that is a string is sent as it is. */
  async function call(
    method: string,
    path: string,
    { token = ownerKey, body, headers = {} }: Call = {},
  ): Promise<Answer> {
    const response = await fetch(`${api.url}${/^\/(api|hooks)\//.test(path) ? '' : '/api/v1'}${path}`, {
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

  return {
    ...system,
    url: api.url,
    api,
    ownerKey,
    call,
    /** Another API process beside the first. */
    async anotherApi(otherwise: Partial<AppDeps> = {}) {
      const another = await serve(system, editorModel, { ...deps, ...otherwise });
      apis.push(another);
      return another;
    },
    /** An agent that all members of the workspace may start. */
    sharedAgent: () =>
      createAgent(system.caller, {
        ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, visibility: 'workspace' }),
        id: newId('agt'),
      }),
    member: async (role: Role) => newKey(await newMember(system.caller, system.workspace.id, role)),
    foreigner: async () => newKey(await newOwner('Stranger')),
    async stop() {
      await Promise.all(apis.map((one) => one.close()));
      await system.stop();
    },
  };
}

export type Served = Awaited<ReturnType<typeof startServed>>;
