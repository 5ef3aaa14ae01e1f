import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface PullRequest {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  draft: boolean;
  head: { ref: string; label: string };
  base: { ref: string };
  html_url: string;
}

interface ForgeOptions {
  token?: string;
  /** Which branches the repository has: a pull request of any other is refused, as GitHub does. */
  branches?: () => string[];
}

async function bodyOf(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

const failed = (message: string, errors: string[] = []) => ({
  message,
  errors: errors.map((text) => ({ resource: 'PullRequest', code: 'custom', message: text })),
  documentation_url: 'https://docs.github.com/rest/pulls/pulls',
});

/** The part of GitHub's API that pull requests need, with its refusals. */
export class Forge {
  readonly pulls: PullRequest[] = [];
  /** Requests to create one, whatever came of them. */
  creations = 0;
  /** Runs once one was created and before that is said: where a crash loses the answer. */
  onCreated: () => void | Promise<void> = () => undefined;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly token: string,
    private readonly branches: (() => string[]) | undefined,
  ) {}

  static async start({ token = 'ghp_a-token-for-the-forge-only', branches }: ForgeOptions = {}): Promise<Forge> {
    const server = createServer((req, res) => {
      forge.serve(req, res).catch(() => res.writeHead(500).end());
    });
    const forge = new Forge(server, token, branches);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return forge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const reply = (status: number, body: unknown) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const given = req.headers.authorization ?? '';
    if (given !== `token ${this.token}` && given !== `Bearer ${this.token}`)
      return void reply(401, failed('Bad credentials'));
    const url = new URL(req.url ?? '/', this.url);
    const [, owner = '', repo = ''] = /^\/repos\/([^/]+)\/([^/]+)\/pulls$/.exec(url.pathname) ?? [];
    if (owner !== 'team' || repo !== 'project') return void reply(404, failed('Not Found'));
    if (req.method === 'GET') return void reply(200, this.list(url.searchParams));
    if (req.method === 'POST') return this.create(owner, repo, await bodyOf(req), reply);
    reply(405, failed('Method Not Allowed'));
  }

  private list(query: URLSearchParams): PullRequest[] {
    const state = query.get('state') ?? 'open';
    const head = query.get('head');
    return this.pulls.filter(
      (pull) => (state === 'all' || pull.state === state) && (head === null || pull.head.label === head),
    );
  }

  private async create(
    owner: string,
    repo: string,
    { title, body, head, base, draft }: Record<string, unknown>,
    reply: (status: number, body: unknown) => unknown,
  ): Promise<void> {
    this.creations += 1;
    const label = `${owner}:${String(head)}`;
    const open = this.pulls.some((pull) => pull.state === 'open' && pull.head.label === label);
    if (open) {
      reply(422, failed('Validation Failed', [`A pull request already exists for ${label}.`]));
      return;
    }
    if (this.branches && !this.branches().includes(String(head))) {
      reply(422, failed('Validation Failed', ['head is invalid']));
      return;
    }
    const number = this.pulls.length + 1;
    const pull: PullRequest = {
      number,
      title: String(title),
      body: String(body ?? ''),
      state: 'open',
      draft: draft === true,
      head: { ref: String(head), label },
      base: { ref: String(base) },
      html_url: `${this.url}/${owner}/${repo}/pull/${number}`,
    };
    this.pulls.push(pull);
    await this.onCreated();
    reply(201, pull);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
