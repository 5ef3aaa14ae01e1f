import { z } from 'zod';
import { runStatusSchema } from './run-status.ts';

/** One run of a tree, as a tree shows it. */
const treeNodeSchema = z.object({
  id: z.string(),
  parent_run_id: z.string().nullable(),
  relation: z.enum(['delegation', 'workflow', 'resume', 'fork']).nullable(),
  agent_id: z.string(),
  agent_name: z.string(),
  definition_id: z.string().nullable(),
  status: runStatusSchema,
  llm_model: z.string(),
  iterations_used: z.int(),
  tokens_used: z.int(),
  cost_usd: z.number().nullable(),
  unconfirmed_calls: z.int(),
  duration_ms: z.int().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
export type TreeNode = z.infer<typeof treeNodeSchema>;

/** All runs below one root, the root first, in the order they were made; and what the whole has used. */
export const runTreeSchema = z.object({
  root_run_id: z.string(),
  runs: z.array(treeNodeSchema),
  settled: z.object({ tokens: z.int(), cost_usd: z.number() }),
  unconfirmed: z.object({ calls: z.int(), tokens: z.int(), cost_usd: z.number() }),
});
export type RunTree = z.infer<typeof runTreeSchema>;
