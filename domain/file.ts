import { z } from 'zod';
import { GLOB_RULE, isTameGlob } from './glob.ts';

export const MAX_FILE_BYTES = 10 * 1024 * 1024;

const path = z.string().min(1).max(4096);
const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'a hash like sha256:… is expected');

export const fileEntrySchema = z.object({
  name: z.string(),
  path: z.string(),
  type: z.enum(['folder', 'file']),
  /** Null for folders. */
  size: z.number().nullable(),
  /** Null where it is not known, as in git. */
  modified_at: z.iso.datetime().nullable(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

export const fileContentSchema = z.object({
  path: z.string(),
  text: z.string(),
  hash: z.string(),
  size: z.number(),
  modified_at: z.iso.datetime().nullable(),
});
export type FileContent = z.infer<typeof fileContentSchema>;

export const filePathQuery = z.strictObject({ path });

/** `expected_hash` is what the writer has seen: null where there must be nothing yet. */
export const writeFileBody = z.strictObject({
  path,
  content: z.string().max(MAX_FILE_BYTES),
  expected_hash: hash.nullable(),
});
export const writtenFileSchema = z.object({ path: z.string(), hash: z.string() });
export type WrittenFile = z.infer<typeof writtenFileSchema>;

export const removeFileQuery = z.strictObject({ path, expected_hash: hash });
export const moveFileBody = z.strictObject({ from: path, to: path, expected_hash: hash });
export const newFolderBody = z.strictObject({ path });
export const folderSchema = z.object({ path: z.string() });

export const searchFilesQuery = z.strictObject({
  q: z.string().min(1).max(1000),
  glob: z.string().max(500).refine(isTameGlob, GLOB_RULE).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

export const fileHitSchema = z.object({
  path: z.string(),
  /** The line that holds what was looked for; null where the path itself does. */
  line: z.number().nullable(),
  start_line: z.number().nullable(),
  snippet: z.string(),
});
export type FileHit = z.infer<typeof fileHitSchema>;
export const fileHitsSchema = z.object({
  results: z.array(fileHitSchema),
  /** There may be more than were asked for, or than could be looked at in time. */
  limited: z.boolean(),
});
export type FileHits = z.infer<typeof fileHitsSchema>;

/** Names that begin with a dot hold settings and histories of programs: nobody lists, reads or changes them here. */
export const isHidden = (notebookPath: string): boolean => notebookPath.split('/').some((part) => part.startsWith('.'));
