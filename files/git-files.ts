import { type FileContent, type FileEntry, type FileHits, isHidden } from '../domain/file.ts';
import { globMatcher } from '../domain/glob.ts';
import { type BrowsedFiles, demandSize, type FileSearch, nameHits, noFile, noFolder, shownPath } from './browse.ts';
import { contentHash, textOf } from './file-bytes.ts';
import { childPath, type FolderPage, type FolderPageRequest, folderPage } from './folder-page.ts';
import type { GitMirrors, Remote } from './git-mirror.ts';
import { GitError } from './git-process.ts';

/** Of one file at most: a word that is everywhere must not crowd out the other files. */
const MOST_IN_FILE = '5';

const exitCode = (error: unknown): unknown => (error instanceof GitError ? error.exitCode : undefined);

/** The files of a git notebook as its branch has them: to be read, never changed. */
export class GitFiles implements BrowsedFiles {
  private constructor(
    private readonly mirrors: GitMirrors,
    private readonly mirror: string,
    /** The commit that is looked at: pages of one list never come from two. */
    private readonly commit: string,
  ) {}

  static async at(mirrors: GitMirrors, remote: Remote): Promise<GitFiles> {
    const mirror = await mirrors.open(remote);
    const { commit } = await mirrors.tip(mirror, remote);
    return new GitFiles(mirrors, mirror, commit);
  }

  /** `mode type object size<TAB>name`, each with a NUL behind it. Links and submodules are left out. */
  private async tree(args: string[], isIn: (name: string) => boolean): Promise<(FileEntry & { object: string })[]> {
    const out = await this.mirrors.look(this.mirror, ['ls-tree', '-z', '-l', ...args]);
    return out
      .toString()
      .split('\0')
      .flatMap((line) => {
        const [, mode = '', object = '', size = '', name = ''] = /^(\d+) \w+ (\w+) +(\S+)\t(.+)$/s.exec(line) ?? [];
        const type = mode === '040000' ? 'folder' : mode.startsWith('100') ? 'file' : null;
        if (type === null || !isIn(name)) return [];
        const bytes = type === 'file' ? Number(size) : null;
        return [{ name, path: name, type, size: bytes, modified_at: null, object }] as const;
      });
  }

  async list(folder: string, page: FolderPageRequest): Promise<FolderPage<FileEntry>> {
    const shown = shownPath(folder);
    const found = await this.tree([`${this.commit}:${shown.slice(1)}`], (name) => !isHidden(name)).catch(
      (error: unknown) => {
        throw exitCode(error) === 128 ? noFolder(shown) : error;
      },
    );
    const { items, next_cursor } = folderPage(found, page);
    return {
      items: items.map(({ object: _object, ...entry }) => ({ ...entry, path: childPath(shown, entry.name) })),
      next_cursor,
    };
  }

  async read(path: string): Promise<FileContent> {
    const shown = shownPath(path);
    const name = shown.slice(1);
    // Literally: a star in a name is a star.
    const [found] =
      name === '' ? [] : await this.tree([this.commit, '--', `:(literal)${name}`], (each) => each === name);
    if (found?.type !== 'file') throw noFile(shown);
    demandSize(shown, found.size ?? 0);
    const bytes = await this.mirrors.look(this.mirror, ['cat-file', 'blob', found.object]);
    return {
      path: shown,
      text: textOf(bytes, shown),
      hash: contentHash(bytes),
      size: bytes.length,
      modified_at: null,
    };
  }

  async search(search: FileSearch): Promise<FileHits> {
    const { query, glob, limit } = search;
    const matches = glob ? globMatcher(glob.startsWith('/') ? glob : `/${glob}`) : () => true;
    const isIn = (name: string) => !isHidden(name) && matches(`/${name}`);
    const paths = (await this.tree(['-r', this.commit], isIn)).map(({ path }) => `/${path}`);
    const results = nameHits(paths, search);
    const grep = ['grep', '-z', '-n', '-I', '-i', '-F', '--max-count', MOST_IN_FILE, '-e', query, this.commit];
    const out = await this.mirrors.look(this.mirror, grep).catch((error: unknown) => {
      // How it says that there is nothing.
      if (exitCode(error) === 1) return Buffer.from('');
      throw error;
    });
    for (const found of out.toString().split('\n')) {
      const [, name = '', line = '', text = ''] = /^\w+:(.+)\0(\d+)\0(.*)$/s.exec(found) ?? [];
      if (name === '' || !isIn(name)) continue;
      if (results.length >= limit) return { results, limited: true };
      results.push({ path: `/${name}`, line: Number(line), start_line: Number(line), snippet: text });
    }
    return { results, limited: false };
  }
}
