import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from '../../activities/checkout.ts';
import { toolContext } from '../../activities/segment.ts';
import type { OutsideContext, ToolContext } from '../../activities/tools/contract.ts';
import { toolbox } from '../../activities/tools/index.ts';
import type { Agent } from '../../domain/agent.ts';
import type { GithubAccess } from '../../domain/github.ts';
import { boundOfCaller } from '../../domain/rights.ts';
import { gitWithAuth, runGit } from '../../files/git-process.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { agentWith, tool as called } from '../domain/told.ts';
import type { GitRemote } from '../doubles/git-remote.ts';

const RIGHTS = { can_write: true, can_create: true, can_delete: true };

/** A checkout as an executor makes it, without one: the repository beside the files. */
export async function checkOut(remote: GitRemote, run_id = 'run_1'): Promise<Checkout & { remove(): Promise<void> }> {
  const base = await mkdtemp(join(tmpdir(), 'longhaul-checkout-'));
  const [dir, git_dir] = [join(base, 'files'), join(base, 'repository')];
  const access = { username: remote.user, token: remote.token };
  const { url } = remote;
  await gitWithAuth(url, access, ['clone', '--quiet', `--separate-git-dir=${git_dir}`, '--', url, dir]);
  await rm(join(dir, '.git'), { recursive: true, force: true });
  const branch = `longhaul/${run_id}`;
  const places = { gitDir: git_dir, workTree: dir };
  await runGit(['switch', '--quiet', '-c', branch], places);
  const base_commit = (await runGit(['rev-parse', 'HEAD'], places)).toString().trim();
  return {
    dir,
    git_dir,
    branch,
    base_commit,
    remote: { url, default_branch: 'main' },
    notebook_id: 'nb_1',
    run_id,
    epoch: 1,
    git: (args, options = {}) => runGit(args, { ...options, ...places }),
    remoteGit: (args, options = {}) => gitWithAuth(url, access, args, { ...options, ...places }),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

export interface CallOptions {
  agent?: Partial<Agent>;
  key?: string;
  at?: string;
  github?: GithubAccess | null;
}

export async function contextOf(
  checkout: Checkout,
  { agent = {}, key = 'run_1-1-c', at = '2026-01-02T03:04:05.000Z', github = null }: CallOptions = {},
): Promise<{ agent: Agent; context: ToolContext; outside: OutsideContext }> {
  const who = agentWith({ name: 'Fixer', ...RIGHTS, ...agent });
  const { signal } = new AbortController();
  const bound = boundOfCaller(true);
  const files = await NotebookFiles.at(checkout.dir);
  const context = toolContext({ agent: who, notebook_id: 'nb_1', bound }, files, signal, checkout);
  const outside: OutsideContext = {
    agent: who,
    org_id: 'org_1',
    workspace_id: 'ws_1',
    run_id: checkout.run_id,
    key,
    at,
    signal,
    notebook: async () => context,
    github: async () => github,
    keepSecret: () => undefined,
    output: () => undefined,
    call_id: 'c',
    keep: async () => null,
  };
  return { agent: who, context, outside };
}

/** One call of a domain from its arguments to its result, as a segment makes it. */
export async function use(
  checkout: Checkout,
  domain: string,
  operation: string,
  args: object = {},
  options: CallOptions = {},
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a result, it says in its assertions
): Promise<any> {
  const { agent, context, outside } = await contextOf(checkout, options);
  const { tool, input } = toolbox(agent, 'git').resolve(called('c', domain, { operation, args }));
  if ('act' in tool) return tool.act(input, outside);
  if ('run' in tool) return tool.run(input, context);
  if (!('prepare' in tool)) throw new Error(`${domain}.${operation} is of no kind that is known here`);
  return tool.perform(await tool.prepare(input, context, outside.key, undefined), context);
}
