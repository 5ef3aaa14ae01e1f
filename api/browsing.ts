import { Failure, isFailure } from '../domain/failures.ts';
import type { Notebook } from '../domain/workspace.ts';
import { type BrowsedFiles, FolderFiles } from '../files/browse.ts';
import { GitFiles } from '../files/git-files.ts';
import type { GitMirrors } from '../files/git-mirror.ts';
import type { GitAccess } from '../files/git-process.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import { invalid } from './route.ts';

/** What the system says of a path that nobody can use. */
const REFUSED_PATHS: Record<string, string> = {
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EISDIR: 'this is a folder',
  ENOTDIR: 'there is a file where a folder is needed',
  EEXIST: 'there is a file where a folder is needed',
  EINVAL: 'the name cannot be used',
};
const WITHHELD = ['EACCES', 'EPERM', 'EROFS'];

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Does something with a path somebody gave. A person who mistypes it is told so; only agents violate a scope. */
export async function atPath<T>(place: 'query' | 'body', act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isFailure(error)) throw error.code === 'scope_violation' ? invalid(place, { path: error.message }) : error;
    const why = REFUSED_PATHS[codeOf(error)];
    if (why !== undefined) throw invalid(place, { path: why });
    if (!WITHHELD.includes(codeOf(error))) throw error;
    const withheld = 'The account that this server runs under may not do this with the file.';
    throw new Failure('forbidden', withheld, {}, { cause: error });
  }
}

async function folderOf({ id, path }: Notebook): Promise<FolderFiles> {
  const files = await NotebookFiles.at(path ?? '').catch((cause: unknown) => {
    throw new Failure('no_such_file', 'The folder of this notebook is not there any more.', { id }, { cause });
  });
  return new FolderFiles(files);
}

/** `access` is asked for only where there is a remote to show it to. */
export async function browse(
  notebook: Notebook,
  mirrors: GitMirrors,
  access: (notebookId: string) => Promise<GitAccess | null>,
): Promise<BrowsedFiles> {
  const { id, url, default_branch } = notebook;
  if (url === null) return folderOf(notebook);
  return GitFiles.at(mirrors, { id, url, branch: default_branch, access: await access(id) });
}

/** To change something in: the branch of a git notebook is no place for that. */
export async function browseToChange(notebook: Notebook): Promise<FolderFiles> {
  if (notebook.kind === 'folder') return folderOf(notebook);
  throw new Failure('git_notebook', `The files of ${notebook.name} cannot be changed here.`, {
    notebook_id: notebook.id,
  });
}
