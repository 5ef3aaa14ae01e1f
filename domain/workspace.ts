import { z } from 'zod';
import { isBranchName } from './git-address.ts';
import { roleSchema } from './identity.ts';

export const createWorkspaceBody = z.strictObject({ name: z.string().trim().min(1).max(100) });
export const workspaceSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  created_at: z.iso.datetime(),
});
export type Workspace = z.infer<typeof workspaceSchema>;

export const renameBody = z.strictObject({ name: z.string().trim().min(1).max(100) });

export type NotebookKind = 'folder' | 'git';

const FIELDS_OF = { folder: ['path'], git: ['url', 'default_branch'] } as const;

/** Run before the first command of an agent in a checkout, and again when they or a lock file have changed. */
const setup = {
  setup_commands: z.array(z.string().trim().min(1).max(2000)).max(20),
  /** Whether these may use the public network, which installing mostly needs. */
  setup_network: z.boolean(),
};
export const changeNotebookBody = z
  .strictObject({ name: renameBody.shape.name, ...setup })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), { message: 'nothing is to be changed' });
export type ChangeNotebook = z.infer<typeof changeNotebookBody>;

/** `folder` has a path on the server, `git` an address and the branch that is shown (without one, the remote's own). */
export const createNotebookBody = z
  .strictObject({
    workspace_id: z.string(),
    name: z.string().trim().min(1).max(100),
    kind: z.enum(['folder', 'git']),
    path: z.string().min(1).max(4096).optional(),
    url: z.string().min(1).max(2000).optional(),
    default_branch: z.string().max(200).refine(isBranchName, 'this is not the name of a branch').optional(),
    setup_commands: setup.setup_commands.optional(),
    setup_network: setup.setup_network.optional(),
  })
  .superRefine((body, context) => {
    const [needed, other] = body.kind === 'folder' ? (['path', 'git'] as const) : (['url', 'folder'] as const);
    const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (body[needed] === undefined) wrong(needed, `a ${body.kind} notebook needs it`);
    for (const field of FIELDS_OF[other]) if (body[field] !== undefined) wrong(field, `a ${other} notebook has it`);
  });
export const notebookSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  kind: z.enum(['folder', 'git']),
  /** Of a folder: where it lies on the server. */
  path: z.string().nullable(),
  /** Of a git notebook. */
  url: z.string().nullable(),
  default_branch: z.string().nullable(),
  ...setup,
  created_at: z.iso.datetime(),
});
export type Notebook = z.infer<typeof notebookSchema>;

/** A folder on the server that may become a notebook. */
export const offeredFolderSchema = z.object({
  name: z.string(),
  path: z.string(),
  /** The notebook of the workspace that it is already. */
  notebook_id: z.string().nullable(),
});
export type OfferedFolder = z.infer<typeof offeredFolderSchema>;
export const notebookRootsSchema = z.object({ roots: z.array(z.string()), folders: z.array(offeredFolderSchema) });
export type NotebookRoots = z.infer<typeof notebookRootsSchema>;
