import type { z } from 'zod';
import type { Credential, setNotebookCredentialBody } from '../domain/credential.ts';
import type { FileContent, FileEntry, FileHits, moveFileBody, WrittenFile, writeFileBody } from '../domain/file.ts';
import type { ChangeNotebook, createNotebookBody, Notebook, NotebookRoots } from '../domain/workspace.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

/** Ten megabytes may be long on their way. */
const UPLOAD_MS = 120_000;

/** Notebooks and their files. */
export const notebookCalls = (http: Http) => ({
  notebooks: {
    list: (query: PageQuery & { workspace_id?: string } = {}) =>
      http.get<Page<Notebook>>('/notebooks', { query: { ...query } }),
    get: (id: string) => http.get<Notebook>(at('notebooks', id)),
    create: (body: z.input<typeof createNotebookBody>) => http.post<Notebook>('/notebooks', { body }),
    rename: (id: string, name: string) => http.put<Notebook>(at('notebooks', id), { body: { name } }),
    /** Its name, and what is run before the first command of an agent in it. */
    change: (id: string, body: ChangeNotebook) => http.put<Notebook>(at('notebooks', id), { body }),
    /** From the lists alone; its files stay as they are. */
    remove: (id: string) => http.delete(at('notebooks', id)),
    /** What a git notebook shows its remote: `token` (with `username`) over https, `ssh_key` over ssh. */
    credentials: (id: string) => http.get<Page<Credential>>(at('notebooks', id, '/credentials')),
    setCredential: (id: string, body: z.input<typeof setNotebookCredentialBody>) =>
      http.post<Credential>(at('notebooks', id, '/credentials'), { body }),
    removeCredential: (id: string, key: string) =>
      http.delete(at('notebooks', id, `/credentials/${encodeURIComponent(key)}`)),
    /** Folders on the server that may become notebooks of a workspace. */
    roots: (workspace_id: string) => http.get<NotebookRoots>('/notebooks/roots', { query: { workspace_id } }),
    /** One folder, a page at a time. */
    files: (id: string, query: PageQuery & { path?: string } = {}) =>
      http.get<Page<FileEntry>>(at('notebooks', id, '/files'), { query: { ...query } }),
    readFile: (id: string, path: string) =>
      http.get<FileContent>(at('notebooks', id, '/files/content'), { query: { path } }),
    /** `expected_hash` is of the text that was read; null makes a file that must not be there yet. */
    writeFile: (id: string, body: z.input<typeof writeFileBody>) =>
      http.put<WrittenFile>(at('notebooks', id, '/files/content'), { body, heldMs: UPLOAD_MS }),
    removeFile: (id: string, path: string, expected_hash: string) =>
      http.delete(at('notebooks', id, '/files/content'), { query: { path, expected_hash } }),
    moveFile: (id: string, body: z.input<typeof moveFileBody>) =>
      http.post<WrittenFile>(at('notebooks', id, '/files/move'), { body }),
    makeFolder: (id: string, path: string) =>
      http.post<{ path: string }>(at('notebooks', id, '/files/folder'), { body: { path } }),
    searchFiles: (id: string, q: string, query: { glob?: string; limit?: number } = {}) =>
      http.get<FileHits>(at('notebooks', id, '/files/search'), { query: { q, ...query } }),
  },
});
