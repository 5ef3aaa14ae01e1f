import { z } from 'zod';
import { regionSchema } from './compare.ts';
import { originSchema, pathSchema } from './review-wire.ts';
import { rollbackConflictSchema, rollbackModeSchema } from './rollback.ts';

const at = z.iso.datetime();

const rollbackSchema = z.object({
  rollback_id: z.string(),
  mode: rollbackModeSchema,
  hunk_ids: z.array(z.string()),
  /** `buffer`: nothing is on disk yet. `saved`: it is. `conflict`: some of it must be resolved by hand first. */
  state: z.enum(['buffer', 'conflict', 'saving', 'saved', 'failed']),
  created_at: at,
  saved_at: at.nullable(),
});

const checkpointFileSchema = z.object({
  file_path: z.string(),
  /** null where the file did not exist. */
  base_snapshot_hash: z.string().nullable(),
  /** As the apply left it; null where nothing of the file was accepted and there was none. */
  applied_hash: z.string().nullable(),
  hunks: z.array(
    z.object({
      hunk_id: z.string(),
      origin: originSchema,
      status: z.enum(['accepted', 'rejected', 'rolled_back']),
      reverse_patch: z.string(),
    }),
  ),
});

export const checkpointSummarySchema = z.object({
  checkpoint_id: z.string(),
  session_id: z.string(),
  job_id: z.string(),
  notebook_id: z.string(),
  instruction: z.string(),
  created_at: at,
  /** False as long as nothing of it is on disk. */
  applied: z.boolean(),
  files: z.int(),
  rollback: rollbackSchema.nullable(),
});
export type CheckpointSummary = z.infer<typeof checkpointSummarySchema>;

export const checkpointSchema = checkpointSummarySchema.extend({ affected_files: z.array(checkpointFileSchema) });
export type Checkpoint = z.infer<typeof checkpointSchema>;

const versionSchema = z.object({ exists: z.boolean(), text: z.string(), hash: z.string().nullable() });

/** Three versions of one file, and where they part. */
export const diff3Schema = z.object({
  checkpoint_id: z.string(),
  file_path: z.string(),
  /** As a rollback that is not saved yet would leave it, else as it is on disk. */
  current_file: versionSchema,
  checkpoint_base: versionSchema,
  agent_proposed: versionSchema,
  regions: z.array(regionSchema),
});
export type Diff3 = z.infer<typeof diff3Schema>;

export const rollbackBody = z
  .strictObject({
    mode: rollbackModeSchema,
    hunk_ids: z.array(z.string().max(200)).max(100_000).default([]),
  })
  .refine(({ mode, hunk_ids }) => (mode === 'hard_all') === (hunk_ids.length === 0), {
    message: 'scoped_selected names hunks, hard_all names none',
    path: ['hunk_ids'],
  });

export const rollbackReplySchema = rollbackSchema.extend({
  checkpoint_id: z.string(),
  files: z.array(
    z.object({
      file_path: z.string(),
      /** What will be on disk once it is saved; null where the file goes. */
      working_buffer: z.string().nullable(),
      current_hash: z.string().nullable(),
    }),
  ),
  conflicts: z.array(rollbackConflictSchema.extend({ file_path: z.string() })),
});
export type RollbackReply = z.infer<typeof rollbackReplySchema>;

export const saveBody = z.strictObject({
  /** The rollback that is meant; a newer one in the meantime is a conflict. */
  rollback_id: z.string().max(200).optional(),
  /** What was changed by hand in the buffer, conflicts above all. */
  contents: z
    .array(z.strictObject({ file_path: pathSchema, content: z.string().max(10_485_760) }))
    .max(1000)
    .optional(),
});

export const savedSchema = z.object({
  checkpoint_id: z.string(),
  rollback_id: z.string(),
  state: z.enum(['saving', 'saved']),
  saved_files: z.array(z.object({ file_path: z.string(), hash: z.string().nullable() })),
  saved_at: at.nullable(),
});
