import { z } from 'zod';
import { roleSchema } from './identity.ts';

export const createWorkspaceBody = z.strictObject({ name: z.string().trim().min(1).max(100) });
export const workspaceSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  created_at: z.iso.datetime(),
});
export type Workspace = z.infer<typeof workspaceSchema>;

export const createNotebookBody = z.strictObject({
  workspace_id: z.string(),
  name: z.string().trim().min(1).max(100),
  kind: z.literal('folder'),
  path: z.string().min(1).max(4096),
});
export const notebookSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  kind: z.enum(['folder', 'git']),
  path: z.string(),
  created_at: z.iso.datetime(),
});
export type Notebook = z.infer<typeof notebookSchema>;
