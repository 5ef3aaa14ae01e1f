/** Addresses of files and folders on the page. A folder ends with a slash, so that an address tells which it is. */
const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

export const fileHref = (notebookId: string, path: string, line: number | null = null): string =>
  `/files/${encodeURIComponent(notebookId)}${encoded(path)}${line === null ? '' : `#L${line}`}`;

export const folderHref = (notebookId: string, path: string): string =>
  `/files/${encodeURIComponent(notebookId)}${path === '/' ? '/' : `${encoded(path)}/`}`;

export interface Place {
  type: 'folder' | 'file';
  path: string;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** What the address of the page names: `/files/nb_1/a/b.md` is the file /a/b.md, `/files/nb_1/a/` the folder /a. */
export function placeIn(pathname: string): Place {
  const parts = pathname.split('/').slice(3).map(decoded);
  const path = `/${parts.filter((part) => part !== '').join('/')}`;
  return { type: path === '/' || parts.at(-1) === '' ? 'folder' : 'file', path };
}

/** `#L12` is line 12. */
export function lineIn(hash: string): number | null {
  const [, line] = /^#L(\d{1,9})$/.exec(hash) ?? [];
  return line === undefined || Number(line) === 0 ? null : Number(line);
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** The folders a path lies in, from the root down: `/a/b.md` lies in `/` and `/a`. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

/** What somebody typed as a path: from the root, without what is doubled. */
export const typedPath = (text: string): string =>
  `/${text
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('/')}`;

export const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path);
