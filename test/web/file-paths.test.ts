import { describe, expect, it } from 'vitest';
import type { FileEntry } from '../../domain/file.ts';
import { fileHref, folderHref, foldersAbove, lineIn, placeIn, typedPath } from '../../web/file-paths.ts';
import { seenFolders, treeRows } from '../../web/file-tree.ts';
import { lineEndOf } from '../../web/screens/files/line-ends.ts';

describe('an address of the page', () => {
  it.each(['/', '/a', '/a/b c', '/ü/100%', '/a/#1?x=y'])('leads back to the folder %s', (path) => {
    expect(placeIn(new URL(folderHref('nb_1', path), 'http://x').pathname)).toEqual({ type: 'folder', path });
  });

  it.each(['/a.md', '/a/b c.md', '/ü/100%.md', '/a/#1?x=y.md'])('leads back to the file %s', (path) => {
    const { pathname, hash } = new URL(fileHref('nb_1', path, 12), 'http://x');
    expect(placeIn(pathname)).toEqual({ type: 'file', path });
    expect(lineIn(hash)).toBe(12);
  });

  it.each(['', '#', '#L', '#L0', '#L-1', '#section', '#L99999999999'])('names no line with %j', (hash) => {
    expect(lineIn(hash)).toBeNull();
  });
});

it('a path lies in every folder above it', () => {
  expect(foldersAbove('/a/b/c.md')).toEqual(['/', '/a', '/a/b']);
  expect(foldersAbove('/c.md')).toEqual(['/']);
});

it('a path is taken as it was meant', () => {
  expect(['a.md', '/a.md', ' a / b.md', '//a//b.md'].map(typedPath)).toEqual(['/a.md', '/a.md', '/a/b.md', '/a/b.md']);
});

describe('the tree', () => {
  const entry = (path: string, type: FileEntry['type']): FileEntry => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    type,
    size: null,
    modified_at: null,
  });
  const folders: Record<string, FileEntry[]> = {
    '/': [entry('/a', 'folder'), entry('/x.md', 'file')],
    '/a': [entry('/a/b', 'folder'), entry('/a/y.md', 'file')],
    '/a/b': [],
  };
  const lines = (open: string[]) =>
    treeRows((folder) => ({ items: folders[folder], failed: folder === '/gone' }), new Set(open)).map((row) =>
      row.type === 'entry' ? `${row.depth} ${row.path}` : `${row.depth} (${row.note})`,
    );

  it('is as deep as it is open', () => {
    expect(lines([])).toEqual(['0 /a', '0 /x.md']);
    expect(lines(['/a'])).toEqual(['0 /a', '1 /a/b', '1 /a/y.md', '0 /x.md']);
    expect(lines(['/a', '/a/b'])).toEqual(['0 /a', '1 /a/b', '2 (empty)', '1 /a/y.md', '0 /x.md']);
    expect(lines(['/a/b'])).toEqual(['0 /a', '0 /x.md']);
  });

  it('reads only folders that can be seen', () => {
    expect(seenFolders(new Set(['/a', '/a/b', '/c/d']))).toEqual(['/', '/a', '/a/b']);
  });
});

it('line ends are changed only where all of them are alike', () => {
  expect(['a\r\nb\r\n', 'a\nb', 'a\r\nb\n', '\r\n', 'ab', '\na\r\n'].map(lineEndOf)).toEqual([
    '\r\n',
    '\n',
    '\n',
    '\r\n',
    '\n',
    '\n',
  ]);
});
