import { z } from 'zod';

const count = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback);

/** Everything about project-wide edits that an operator may set otherwise; the defaults are what clients are told. */
export const editLimitsSchema = z.strictObject({
  /** Tool calls of a job before it is told to propose now. Proposals themselves do not count. */
  max_tool_calls_per_job: count(12, 10_000),
  max_search_results_default: count(20, 1_000),
  max_search_results_cap: count(50, 1_000),
  max_search_snippet_lines: count(20, 1_000),
  max_read_bytes_default: count(65_536, 1_048_576),
  max_read_lines_default: count(800, 100_000),
  poll_interval_ms: count(2_000, 600_000),
  /** Proposals that may miss their schema before the job fails. */
  max_schema_retries: count(5, 20),
  max_hunk_lines: count(80, 100_000),
  max_hunk_bytes: count(8_192, 10_485_760),
  max_sessions: count(25, 100_000),
  max_jobs_per_session: count(40, 100_000),
  max_events_per_job: count(3_000, 10_000_000),
  completed_ttl_hours: count(72, 1_000_000),
});
export type EditLimits = z.infer<typeof editLimitsSchema>;

export const EDIT_LIMITS: EditLimits = editLimitsSchema.parse({});

/** As the environment spells them: `max_tool_calls_per_job=20,completed_ttl_hours=24`. */
export const editLimitsFrom = (text: string): EditLimits =>
  editLimitsSchema.parse(
    Object.fromEntries(
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => part.split('=', 2).map((side) => side.trim())),
    ),
  );
