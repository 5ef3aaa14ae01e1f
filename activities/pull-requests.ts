import { Failure } from '../domain/failures.ts';
import type { GithubAccess, Repository } from '../domain/github.ts';

const ASK_MS = 30_000;

export interface WantedPullRequest {
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  /** Part of the body: by this it is found again, whatever has become of it since. */
  mark: string;
}

export interface OpenedPullRequest {
  number: number;
  url: string;
  state: string;
  /** False where there was one already. */
  created: boolean;
}

interface Answer {
  number: number;
  html_url: string;
  state: string;
  body?: string | null;
}

const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

function refusal(error: unknown, { owner, repo }: Repository): unknown {
  const status = statusOf(error);
  if (status === null || !(error instanceof Error)) return error;
  // Octokit appends the address of its documentation; the first sentence is the reason.
  const [said = ''] = error.message.split(' - http');
  return new Failure(
    'forge_refused',
    `GitHub refused the pull request of ${owner}/${repo} (${status}): ${said.slice(0, 300)}.`,
    { status },
  );
}

const saysExists = (error: unknown): boolean =>
  statusOf(error) === 422 && error instanceof Error && /already exists/i.test(error.message);

/**
 * Opened once, however often it is asked for: it looks for its mark first, takes one that is open for the same branch
 * as its own, and takes "already exists" for an answer.
 */
export async function openPullRequest(
  { api_url, token }: GithubAccess,
  repository: Repository,
  wanted: WantedPullRequest,
  signal: AbortSignal,
): Promise<OpenedPullRequest> {
  const { owner, repo } = repository;
  const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  // Read with the first pull request: most workers never open one.
  const { Octokit } = await import('@octokit/rest');
  const octokit = new Octokit({
    auth: token,
    baseUrl: api_url.replace(/\/+$/, ''),
    userAgent: 'longhaul',
    log: silent,
    request: { signal: within },
  });
  const told = ({ number, html_url, state }: Answer, created: boolean): OpenedPullRequest => ({
    number,
    url: html_url,
    state,
    created,
  });
  const existing = async (): Promise<Answer | undefined> => {
    const head = `${owner}:${wanted.head}`;
    const pulls: Answer[] = (await octokit.pulls.list({ owner, repo, head, state: 'all', per_page: 100 })).data;
    return pulls.find(({ body }) => body?.includes(wanted.mark)) ?? pulls.find(({ state }) => state === 'open');
  };
  try {
    const found = await existing();
    if (found) return told(found, false);
    const { title, head, base, draft } = wanted;
    const body = `${wanted.body.trimEnd()}\n\n${wanted.mark}\n`;
    try {
      return told((await octokit.pulls.create({ owner, repo, title, body, head, base, draft })).data, true);
    } catch (error) {
      if (!saysExists(error)) throw error;
      const other = await existing();
      if (!other) throw error;
      return told(other, false);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(error, repository);
  }
}
