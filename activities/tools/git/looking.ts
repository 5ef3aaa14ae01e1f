import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import type { Checkout } from '../../checkout.ts';
import { type OutsideTool, outsideTool, type ToolContext } from '../contract.ts';
import { asRefusal, changesSince, commitAt, currentBranch, opened, orNull, withStaged } from './work-tree.ts';

/** Looking changes nothing: it may go beside others, and again. */
const LOOKS = {
  aliases: [],
  argument_aliases: {},
  operation: 'read',
  effect: false,
  idempotent: true,
} satisfies Partial<OutsideTool>;
const shown = (input: unknown) => ({ path: null, preview: JSON.stringify(input), base_hash: null });

const MOST_DIFF = 1_000_000;
const MOST_FILES = 500;
/** Of commits, where most of them may be out of scope. */
const MOST_LOOKED_AT = 2_000;

/** Two who look at once must not share a file. */
const nameOf = (what: string, key: string): string => `${what}-${key}`;

export const statusTool = outsideTool({
  ...LOOKS,
  name: 'status',
  description: 'Which branch is checked out, what has changed since its last commit, and how far it is from the base.',
  input: z.strictObject({}),
  preview: async (input) => shown(input),
  async act(_input, { notebook, key }) {
    const { context, checkout } = await opened({ notebook });
    const [branch, head, ahead] = await Promise.all([
      currentBranch(checkout),
      commitAt(checkout, 'HEAD'),
      orNull(checkout.git(['rev-list', '--count', `${checkout.base_commit}..HEAD`])),
    ]);
    return withStaged(checkout, { name: nameOf('status', key) }, async ({ index, nested }) => {
      const changes = await changesSince(checkout, index, 'HEAD');
      const seen = changes.filter(({ path }) => context.may('read', path));
      const repositories = nested.filter(
        (name) => context.seesEvery('folder') || context.may('read', `/${name.slice(0, -1)}`),
      );
      return {
        branch,
        head,
        base_branch: checkout.remote.default_branch,
        base_commit: checkout.base_commit,
        commits_ahead: Number(ahead ?? 0),
        clean: changes.length === 0,
        changes: seen.slice(0, MOST_FILES),
        ...(seen.length > MOST_FILES ? { total: seen.length, truncated: true } : {}),
        ...(repositories.length > 0 ? { nested_repositories: repositories } : {}),
      };
    });
  },
});

export const diffTool = outsideTool({
  ...LOOKS,
  name: 'diff',
  description: 'The changes as a unified diff, new files included: since the last commit, or since another one.',
  argument_aliases: { from: 'since', base: 'since' },
  input: z.strictObject({
    since: z
      .string()
      .max(200)
      .default('HEAD')
      .describe('HEAD, base (where the run began), a branch or the hash of a commit'),
    path: z.string().optional().describe('Only this file or folder'),
  }),
  preview: async (input) => shown(input),
  async act({ since, path }, { notebook, key }) {
    const { context, checkout } = await opened({ notebook });
    const commit = await commitAt(checkout, since === 'base' ? checkout.base_commit : since);
    if (commit === null) throw new Failure('git_refused', `There is no commit ${since}.`);
    const below = path === undefined ? '/' : await context.files.actual(path);
    const isWanted = (file: string) => below === '/' || file === below || file.startsWith(`${below}/`);
    return withStaged(checkout, { name: nameOf('diff', key) }, async ({ index }) => {
      const changes = await changesSince(checkout, index, commit);
      const seen = changes.filter((change) => isWanted(change.path) && context.may('read', change.path));
      // By name, one by one: what the agent may not read is in none of them.
      const names = seen.slice(0, MOST_FILES).map((change) => `:(literal,top)${change.path.slice(1)}`);
      const args = ['diff-index', '-p', '--cached', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
      const env = { GIT_INDEX_FILE: index };
      const diff =
        names.length === 0 ? '' : (await checkout.git([...args, commit, '--', ...names], { env })).toString();
      return {
        since: commit,
        files: seen.length,
        diff: diff.slice(0, MOST_DIFF),
        ...(diff.length > MOST_DIFF || seen.length > MOST_FILES ? { truncated: true } : {}),
      };
    });
  },
});

/**
 * Of the newest commits those that changed a file the agent may read: what others were about is told by their messages,
 * and none of its business. What a merge changed is what it brought to the branch it was made on.
 */
async function commitsSeen({ git }: Checkout, { may }: ToolContext, only: string[], limit: number) {
  // An empty part comes before each commit: no file has such a name.
  const args = ['log', '-z', '--no-renames', '--diff-merges=first-parent', '--name-only', '--format=%x00%H'];
  const out = await git([...args, `--max-count=${MOST_LOOKED_AT}`, 'HEAD', '--', ...only]).catch(asRefusal);
  const entries = out
    .toString()
    .split(/(?:^|\0)\0/)
    .slice(1);
  const seen = entries.flatMap((entry) => {
    const [commit = '', ...files] = entry.split('\0');
    const names = files.filter(Boolean).map((name, at) => (at === 0 ? name.replace(/^\n/, '') : name));
    return names.some((name) => may('read', `/${name}`)) ? [commit] : [];
  });
  return { ids: seen.slice(0, limit), isCut: seen.length < limit && entries.length === MOST_LOOKED_AT };
}

export const logTool = outsideTool({
  ...LOOKS,
  name: 'log',
  description: 'The newest commits of the branch that is checked out.',
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(20),
    path: z.string().optional().describe('Only those that changed this file or folder'),
  }),
  preview: async (input) => shown(input),
  async act({ limit, path }, { notebook }) {
    const { context, checkout } = await opened({ notebook });
    const below = path === undefined ? null : await context.files.actual(path);
    if (below !== null) context.guardFolder(below);
    const format = '%H%x1f%an%x1f%aI%x1f%s%x1f%b';
    const only = below === null || below === '/' ? [] : [`:(literal,top)${below.slice(1)}`];
    const args = ['log', '-z', '--no-show-signature', '--no-color', `--format=${format}`, `--max-count=${limit}`];
    const branch = await currentBranch(checkout);
    const seen = context.seesEvery('file') ? null : await commitsSeen(checkout, context, only, limit);
    if (seen?.ids.length === 0) return { branch, commits: [], ...(seen.isCut ? { truncated: true } : {}) };
    const which = seen ? ['--no-walk=unsorted', ...seen.ids, '--'] : ['HEAD', '--', ...only];
    const out = await checkout.git([...args, ...which]).catch(asRefusal);
    const commits = out
      .toString()
      .split('\0')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const [commit = '', author = '', date = '', subject = '', body = ''] = entry.split('\x1f');
        return { commit: commit.trim(), author, date, subject, ...(body.trim() ? { body: body.trim() } : {}) };
      });
    return { branch, commits, ...(seen?.isCut ? { truncated: true } : {}) };
  },
});
