import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { gitAddress } from '../../domain/git-address.ts';
import { changeNotebookBody, createNotebookBody, notebookRootsSchema, notebookSchema } from '../../domain/workspace.ts';
import type { AllowedFolders } from '../../files/allowed-folder.ts';
import {
  changeNotebook,
  createNotebook,
  findNotebook,
  listNotebooks,
  notebooksAt,
  removeNotebook,
} from '../../store/notebooks.ts';
import { demandWorkspace } from '../../store/workspaces.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { demandFolder, foldersBelow } from '../notebook-folder.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { invalid, type Route, route } from '../route.ts';

const tag = 'Notebooks';

export const newNotebookBody = createNotebookBody.safeExtend({ workspace_id: idOf('ws') });

/** An address that may be fetched; one of this machine only where a folder notebook might lie too. */
async function allowedAddress(url: string, allowed: AllowedFolders): Promise<string> {
  const address = gitAddress(url);
  if (address.kind === 'refused') throw invalid('body', { url: address.why });
  if (address.kind === 'remote') return url;
  return pathToFileURL(await demandFolder(address.path, allowed, 'url')).href;
}

export const notebookRoutes = ({ notebookRoots, dataDir }: AppDeps): Route[] => {
  const allowed = { roots: notebookRoots, dataDir };
  return [
    route({
      method: 'post',
      path: '/notebooks',
      tag,
      summary: 'Make a notebook of an existing folder on the server, or of a git repository (admin)',
      body: newNotebookBody,
      shows: ['workspace_id', 'name', 'kind', 'path', 'setup_commands', 'setup_network'],
      replies: { 201: notebookSchema },
      handler: async ({ caller, newId, body }) => {
        const { workspace_id, name, kind, path = '', url = '', default_branch = null, ...setup } = body;
        // Before the folder is looked at: what lies on the server is no business of those who may not add it.
        await demandWorkspace(caller, workspace_id, 'admin', 'add notebooks');
        const made = { id: newId('nb'), workspace_id, name, ...setup };
        const notebook =
          kind === 'folder'
            ? { ...made, kind, path: await demandFolder(path, allowed, 'path') }
            : { ...made, kind, path: null, url: await allowedAddress(url, allowed), default_branch };
        return { status: 201, body: await createNotebook(caller, notebook) };
      },
    }),
    route({
      method: 'get',
      path: '/notebooks',
      tag,
      summary: 'The notebooks of your workspaces',
      query: z.strictObject({ workspace_id: idOf('ws').optional(), ...pageQuery }),
      replies: { 200: pageSchema(notebookSchema) },
      handler: async ({ caller, query: { workspace_id, ...page } }) => ({
        status: 200,
        body: await listNotebooks(caller, workspace_id, page),
      }),
    }),
    route({
      method: 'get',
      path: '/notebooks/roots',
      tag,
      summary: 'Where folder notebooks may lie on the server, and the folders there (admin)',
      query: z.strictObject({ workspace_id: idOf('ws') }),
      replies: { 200: notebookRootsSchema },
      handler: async ({ caller, query: { workspace_id } }) => {
        await demandWorkspace(caller, workspace_id, 'admin', 'add notebooks');
        const found = await foldersBelow(notebookRoots);
        const taken = await notebooksAt(
          caller,
          workspace_id,
          found.map(({ path }) => path),
        );
        const folders = found.map((folder) => ({ ...folder, notebook_id: taken.get(folder.path) ?? null }));
        return { status: 200, body: { roots: [...notebookRoots], folders } };
      },
    }),
    route({
      method: 'get',
      path: '/notebooks/:id',
      tag,
      summary: 'One notebook',
      params: idParam('nb'),
      replies: { 200: notebookSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await findNotebook(caller, params.id) }),
    }),
    route({
      method: 'put',
      path: '/notebooks/:id',
      tag,
      summary: 'Rename a notebook, or change its set-up commands (admin)',
      params: idParam('nb'),
      body: changeNotebookBody,
      shows: ['name', 'setup_commands', 'setup_network'],
      replies: { 200: notebookSchema },
      handler: async ({ caller, params, body }) => ({
        status: 200,
        body: await changeNotebook(caller, params.id, body),
      }),
    }),
    route({
      method: 'delete',
      path: '/notebooks/:id',
      tag,
      summary: 'Take a notebook from the lists, once all runs on it have ended; its files stay as they are (admin)',
      params: idParam('nb'),
      replies: { 204: null },
      handler: async ({ caller, params }) => {
        await removeNotebook(caller, params.id);
        return { status: 204 };
      },
    }),
  ];
};
