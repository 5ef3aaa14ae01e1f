import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { writeSnapshotCommit } from './commit-object.ts';
import { type GitOptions, GitOutputTooLarge, runGit } from './git-process.ts';
import { removeTree } from './remove-tree.ts';
import { indexFiles } from './work-tree-index.ts';

/** A clone may bring more than any change of an agent, so only what lies beyond its base is ever packed. */
const MOST_PACKED = 256_000_000;
const LARGE_MS = 300_000;

/** Everything a checkout is, but for its content: what a snapshot keeps beside its pack. */
export interface Standing {
  /** A commit nobody sees: its tree is the files, untracked ones included. */
  commit: string;
  tree: string;
  /** The branch that is checked out, as `refs/heads/…`, or the id of a commit. */
  head: string;
  /** Branches and tags made here, by their whole names. */
  refs: Record<string, string>;
}

/** What lies beyond the snapshot before, or beyond the base where there is none. */
export interface Packed extends Standing {
  pack: Buffer;
}

export interface Origin {
  /** A bare repository that has the base; its objects are used where they lie. */
  mirror: string;
  base: string;
  branch: string;
  remote: { url: string; default_branch: string };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * One clone: files in one folder, the repository beside it, where nothing that is written among the files can reach.
 * It borrows the objects of the mirror, so that making one costs no more than writing the files.
 */
export class CheckoutRepository {
  readonly dir: string;
  readonly git_dir: string;

  private constructor(
    private readonly place: string,
    private readonly origin: Origin,
  ) {
    this.dir = join(place, 'files');
    this.git_dir = join(place, 'repository');
  }

  git = (args: readonly string[], options: Omit<GitOptions, 'gitDir' | 'workTree'> = {}): Promise<Buffer> =>
    runGit(args, { ...options, gitDir: this.git_dir, workTree: this.dir });

  private text = async (args: readonly string[], options: GitOptions = {}): Promise<string> =>
    (await this.git(args, options)).toString().trim();

  /** A fresh one on a branch of its own. Nothing may lie at the place. */
  static async make(place: string, origin: Origin): Promise<CheckoutRepository> {
    const made = await CheckoutRepository.laidOut(place, origin);
    const branch = `refs/heads/${origin.branch}`;
    await made.point(branch, { [branch]: origin.base });
    await made.checkOut(origin.base);
    return made;
  }

  /** As it stood when the last of these packs was made; each goes beyond the one before it. */
  static async restore(
    place: string,
    origin: Origin,
    packs: readonly Buffer[],
    standing: Standing,
  ): Promise<CheckoutRepository> {
    const made = await CheckoutRepository.laidOut(place, origin);
    for (const pack of packs) {
      if (pack.length === 0) continue;
      await made.git(['index-pack', '--stdin', '--fix-thin'], { input: pack, timeoutMs: LARGE_MS });
    }
    await made.point(standing.head, standing.refs);
    await made.checkOut(standing.commit);
    // What was changed and not committed shows as such again.
    const head = await made.text(['rev-parse', '--verify', 'HEAD^{tree}']).catch(() => null);
    if (head !== standing.tree) await made.git(['reset', '--quiet', '--mixed', '--no-refresh']);
    return made;
  }

  private static async laidOut(place: string, origin: Origin): Promise<CheckoutRepository> {
    const made = new CheckoutRepository(place, origin);
    await Promise.all(
      [made.dir, join(made.git_dir, 'objects', 'info'), join(made.git_dir, 'refs')].map((folder) =>
        mkdir(folder, { recursive: true }),
      ),
    );
    const { url, default_branch } = origin.remote;
    const config = [
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n',
      `[remote "origin"]\n\turl = ${JSON.stringify(url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    ];
    const remote = join(made.git_dir, 'refs', 'remotes', 'origin', default_branch);
    await mkdir(join(remote, '..'), { recursive: true });
    await Promise.all([
      writeFile(join(made.git_dir, 'HEAD'), `ref: refs/heads/${origin.branch}\n`),
      writeFile(join(made.git_dir, 'config'), config.join('')),
      writeFile(join(made.git_dir, 'objects', 'info', 'alternates'), `${join(origin.mirror, 'objects')}\n`),
      writeFile(remote, `${origin.base}\n`),
    ]);
    return made;
  }

  private async point(head: string, refs: Record<string, string>): Promise<void> {
    const updates = Object.entries(refs).map(([name, commit]) => `update ${name} ${commit}\n`);
    await this.git(['update-ref', '--stdin'], { input: updates.join('') });
    const isBranch = head.startsWith('refs/');
    await writeFile(join(this.git_dir, 'HEAD'), isBranch ? `ref: ${head}\n` : `${head}\n`);
  }

  private async checkOut(commit: string): Promise<void> {
    await this.git(['read-tree', '-u', '--reset', commit], { timeoutMs: LARGE_MS });
    // What is in it need not be read again to find what was changed since.
    await copyFile(join(this.git_dir, 'index'), this.ownIndex);
  }

  private get ownIndex(): string {
    return join(this.git_dir, 'snapshot-index');
  }

  isThere = async (): Promise<boolean> => (await exists(this.dir)) && (await exists(join(this.git_dir, 'HEAD')));

  private async head(): Promise<string> {
    const text = (await readFile(join(this.git_dir, 'HEAD'), 'utf8')).trim();
    return text.startsWith('ref: ') ? text.slice(5) : text;
  }

  private async refs(): Promise<Record<string, string>> {
    const listed = await this.text(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags']);
    return Object.fromEntries(
      listed
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    );
  }

  /** Into an index of its own: what is staged in the other one is nobody's business here. */
  private async addAll(): Promise<void> {
    await indexFiles(this, this.ownIndex);
  }

  /** How it stands as long as nothing has been done to a fresh one. */
  async base(): Promise<Standing> {
    const { base, branch } = this.origin;
    const tree = await this.text(['rev-parse', '--verify', `${base}^{tree}`]);
    const head = `refs/heads/${branch}`;
    return { commit: base, tree, head, refs: { [head]: base } };
  }

  /**
   * How it stands now, with what lies beyond the snapshot before (or the base, where that is null or `whole` is wanted);
   * null where nothing has changed since. More than `most` bytes of it are refused.
   */
  async take(before: Standing | null, whole = false, most = MOST_PACKED): Promise<Packed | null> {
    // The longest first: what is started after it has ended long before.
    const [, refs, head] = await Promise.all([this.addAll(), this.refs(), this.head()]);
    const tree = await this.text(['write-tree'], { env: { GIT_INDEX_FILE: this.ownIndex } });
    if (before && before.tree === tree && before.head === head && isSame(before.refs, refs)) return null;
    const beyond = before && !whole ? before.commit : this.origin.base;
    const committing = writeSnapshotCommit(this.git_dir, tree, beyond);
    const known = before && !whole ? [before.commit, ...Object.values(before.refs)] : [];
    const others = [...Object.values(refs), '--not', this.origin.base, ...known];
    const packing = this.git(['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '--quiet'], {
      input: committing.then((commit) => `${[commit, ...others].join('\n')}\n`),
      maxBytes: most,
      timeoutMs: LARGE_MS,
    }).catch((error: unknown) => {
      if (!(error instanceof GitOutputTooLarge)) throw error;
      const what = `What was changed is more than can be kept of a step: ${Math.ceil(most / 1_000_000)} MB, packed.`;
      throw new Failure('files_too_large', what, { max_bytes: most, retryable: false }, { cause: error });
    });
    const [commit, pack] = await Promise.all([committing, packing]);
    return { commit, tree, head, refs, pack };
  }

  remove = (): Promise<void> => removeTree(this.place);
}

const isSame = (a: Record<string, string>, b: Record<string, string>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, id]) => b[name] === id);
