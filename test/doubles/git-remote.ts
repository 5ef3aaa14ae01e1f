import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What `git http-backend` says before the body: a status of its own, and headers. */
function answer(res: ServerResponse, head: string): void {
  for (const line of head.split('\r\n')) {
    const at = line.indexOf(':');
    if (at < 0) continue;
    const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
    if (name.toLowerCase() === 'status') res.statusCode = Number.parseInt(value, 10);
    else res.setHeader(name, value);
  }
}

function backend(root: string, req: IncomingMessage, res: ServerResponse, user: string): void {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REMOTE_USER: user,
      REQUEST_METHOD: req.method ?? 'GET',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      ...(req.headers['content-length'] ? { CONTENT_LENGTH: req.headers['content-length'] } : {}),
      ...(req.headers['content-encoding'] ? { HTTP_CONTENT_ENCODING: req.headers['content-encoding'] } : {}),
      ...(req.headers['git-protocol'] ? { GIT_PROTOCOL: String(req.headers['git-protocol']) } : {}),
    },
  });
  req.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  let head: Buffer | null = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (head === null) return res.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    answer(res, head.subarray(0, end).toString());
    res.write(head.subarray(end + 4));
    head = null;
  });
  child.on('close', () => res.end());
}

/** A real repository behind real HTTP with a password, whose own hook counts the pushes that it took. */
export class GitRemote {
  readonly user = 'longhaul';
  readonly token = 'a-token-for-the-remote-only';

  private constructor(
    readonly root: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async start(files: Record<string, string> = { 'README.md': '# A repository\n' }): Promise<GitRemote> {
    const root = await mkdtemp(join(tmpdir(), 'longhaul-remote-'));
    const server = createServer((req, res) => remote.serve(req, res));
    const remote = new GitRemote(root, server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    remote.fill(files);
    return remote;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/team/project.git`;
  }

  get dir(): string {
    return join(this.root, 'team', 'project.git');
  }

  /** git in the bare repository itself. */
  git(...args: string[]): string {
    return this.run(['--git-dir', this.dir, ...args]);
  }

  private run(args: string[], input?: string): string {
    const identity = { GIT_AUTHOR_NAME: 'Ana', GIT_AUTHOR_EMAIL: 'ana@example.org' };
    const env = {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...identity,
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@example.org',
    };
    return execFileSync('git', args, { env, encoding: 'utf8', ...(input === undefined ? {} : { input }) }).trim();
  }

  private fill(files: Record<string, string>): void {
    this.run(['init', '--quiet', '--bare', '--initial-branch=main', this.dir]);
    this.git('config', 'http.receivepack', 'true');
    this.commit('main', files, 'The beginning');
    const hook = join(this.dir, 'hooks', 'post-receive');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ncat >> '${this.counted}'\n`, { mode: 0o755 });
  }

  /** Somebody else's work on a branch. */
  commit(branch: string, files: Record<string, string>, message: string): string {
    const parent = this.commitAt(branch);
    const lines = Object.entries(files).map(([path, text]) => {
      const blob = this.run(['--git-dir', this.dir, 'hash-object', '-w', '--stdin'], text);
      return `100644 ${blob}\t${path}`;
    });
    const before = parent ? this.git('ls-tree', '-r', parent).split('\n') : [];
    const kept = before.filter((line) => !(line.split('\t')[1] ?? '') || !(String(line.split('\t')[1]) in files));
    const entries = [...kept.map((line) => line.replace(/^(\d+) \w+ /, '$1 ')), ...lines];
    this.run(['--git-dir', this.dir, 'read-tree', '--empty']);
    this.run(['--git-dir', this.dir, 'update-index', '--add', '--index-info'], `${entries.join('\n')}\n`);
    const tree = this.git('write-tree');
    const commit = this.git('commit-tree', tree, ...(parent ? ['-p', parent] : []), '-m', message);
    this.git('update-ref', `refs/heads/${branch}`, commit);
    return commit;
  }

  /** Pushes that changed something, as the repository itself has counted them: the ref, and what it became. */
  get pushes(): { ref: string; commit: string }[] {
    const lines = existsSync(this.counted) ? readFileSync(this.counted, 'utf8').split('\n').filter(Boolean) : [];
    return lines.map((line) => {
      const [, commit = '', ref = ''] = line.split(' ');
      return { ref, commit };
    });
  }

  private get counted(): string {
    return join(this.root, 'pushes');
  }

  commitAt(branch: string): string | null {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return null;
    }
  }

  branches = (): string[] => this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');

  private serve(req: IncomingMessage, res: ServerResponse): void {
    const expected = `Basic ${Buffer.from(`${this.user}:${this.token}`).toString('base64')}`;
    if (req.headers.authorization !== expected) {
      res.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    backend(this.root, req, res, this.user);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.root, { recursive: true, force: true });
  }
}
