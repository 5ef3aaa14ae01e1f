import { z } from 'zod';
import {
  fileContentSchema,
  fileEntrySchema,
  fileHitsSchema,
  filePathQuery,
  folderSchema,
  moveFileBody,
  newFolderBody,
  removeFileQuery,
  searchFilesQuery,
  writeFileBody,
  writtenFileSchema,
} from '../../domain/file.ts';
import type { Caller } from '../../domain/identity.ts';
import type { Notebook } from '../../domain/workspace.ts';
import type { BrowsedFiles } from '../../files/browse.ts';
import { GitMirrors } from '../../files/git-mirror.ts';
import { loadNotebookAccess } from '../../store/notebook-credentials.ts';
import { findNotebook, findWritableNotebook } from '../../store/notebooks.ts';
import type { AppDeps } from '../app.ts';
import { atPath, browse, browseToChange } from '../browsing.ts';
import { idParam } from '../ids.ts';
import { pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

const tag = 'Files';
const params = idParam('nb');

/** Ten megabytes, in JSON that may have to escape every other character. */
const FILE_LIMIT = '25mb';
/** A search that takes longer gives what it has found by then. */
const SEARCH_MS = 5_000;

const folderQuery = z.strictObject({
  path: z.string().min(1).max(4096).default('/'),
  limit: z.coerce.number().int().min(1).max(5000).default(200),
  cursor: z.string().min(1).max(2000).optional(),
});

/** What people do with the files of a notebook themselves: read to see, write to change. */
export function fileRoutes({ mirrorsDir, secretKey, previousKeys = [] }: AppDeps): Route[] {
  const mirrors = new GitMirrors(mirrorsDir);
  const open = (caller: Caller, notebook: Notebook): Promise<BrowsedFiles> =>
    browse(notebook, mirrors, (id) => loadNotebookAccess([secretKey, ...previousKeys], caller.org_id, id));
  return [
    route({
      method: 'get',
      path: '/notebooks/:id/files',
      tag,
      summary: 'One folder of a notebook: folders first, then files, without hidden ones',
      params,
      query: folderQuery,
      replies: { 200: pageSchema(fileEntrySchema) },
      handler: async ({ caller, params: { id }, query: { path, ...page } }) => {
        const notebook = await findNotebook(caller, id);
        const body = await atPath('query', async () => (await open(caller, notebook)).list(path, page));
        return { status: 200, body };
      },
    }),
    route({
      method: 'get',
      path: '/notebooks/:id/files/search',
      tag,
      summary: 'Search names and text of the files of a notebook; names first',
      params,
      query: searchFilesQuery,
      replies: { 200: fileHitsSchema },
      handler: async ({ caller, params: { id }, query: { q, ...rest }, res }) => {
        const notebook = await findNotebook(caller, id);
        const gone = new AbortController();
        res.once('close', () => gone.abort());
        const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(SEARCH_MS)]);
        const files = await open(caller, notebook);
        return { status: 200, body: await files.search({ query: q, ...rest, signal }) };
      },
    }),
    route({
      method: 'get',
      path: '/notebooks/:id/files/content',
      tag,
      summary: 'The text of a file and its hash',
      params,
      query: filePathQuery,
      replies: { 200: fileContentSchema },
      handler: async ({ caller, params: { id }, query: { path } }) => {
        const notebook = await findNotebook(caller, id);
        const body = await atPath('query', async () => (await open(caller, notebook)).read(path));
        return { status: 200, body };
      },
    }),
    route({
      method: 'put',
      path: '/notebooks/:id/files/content',
      tag,
      summary: 'Write a file, whole or not at all, if it is still the one that was read (write)',
      params,
      body: writeFileBody,
      bodyLimit: FILE_LIMIT,
      shows: ['path'],
      replies: { 200: writtenFileSchema },
      handler: async ({ caller, params: { id }, body: { path, content, expected_hash }, newId }) => {
        const notebook = await findWritableNotebook(caller, id);
        const body = await atPath('body', async () =>
          (await browseToChange(notebook)).write(path, content, expected_hash, newId('put')),
        );
        return { status: 200, body };
      },
    }),
    route({
      method: 'delete',
      path: '/notebooks/:id/files/content',
      tag,
      summary: 'Delete a file, if it is still the one that was read (write)',
      params,
      query: removeFileQuery,
      shows: ['path'],
      replies: { 204: null },
      handler: async ({ caller, params: { id }, query: { path, expected_hash }, newId }) => {
        const notebook = await findWritableNotebook(caller, id);
        await atPath('query', async () => (await browseToChange(notebook)).remove(path, expected_hash, newId('del')));
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/notebooks/:id/files/move',
      tag,
      summary: 'Rename or move a file to where there is none (write)',
      params,
      body: moveFileBody,
      shows: ['from', 'to'],
      replies: { 200: writtenFileSchema },
      handler: async ({ caller, params: { id }, body: { from, to, expected_hash } }) => {
        const notebook = await findWritableNotebook(caller, id);
        const body = await atPath('body', async () => (await browseToChange(notebook)).move(from, to, expected_hash));
        return { status: 200, body };
      },
    }),
    route({
      method: 'post',
      path: '/notebooks/:id/files/folder',
      tag,
      summary: 'Make a folder, with those above it; one that is there stays as it is (write)',
      params,
      body: newFolderBody,
      shows: ['path'],
      replies: { 201: folderSchema },
      handler: async ({ caller, params: { id }, body: { path } }) => {
        const notebook = await findWritableNotebook(caller, id);
        const made = await atPath('body', async () => (await browseToChange(notebook)).makeFolder(path));
        return { status: 201, body: { path: made } };
      },
    }),
  ];
}
