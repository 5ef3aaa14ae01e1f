import { z } from 'zod';

/** What a test runner said, as far as it could be read. */
export const testReportSchema = z.object({
  runner: z.string(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  /** Names of those that failed, the first hundred. */
  failing: z.array(z.string()),
});
export type TestReport = z.infer<typeof testReportSchema>;

const cutSchema = z.enum(['timeout', 'cancelled', 'memory', 'processes', 'disk']);

/** What was run, exactly, and what came of it: kept with the run for as long as the run is. */
export const evidenceSchema = z.object({
  id: z.string(),
  run_id: z.string(),
  call_id: z.string(),
  operation: z.string(),
  argv: z.array(z.string()),
  cwd: z.string(),
  network: z.boolean(),
  /** `bubblewrap`, or `unconfined` where the operator wants that. */
  confinement: z.string(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  /** What ended it before its end. */
  cut: cutSchema.nullable(),
  started_at: z.iso.datetime(),
  duration_ms: z.int(),
  /** Characters it said in all; of very much, beginning and end are kept. */
  output_chars: z.int(),
  output_whole: z.boolean(),
  report: testReportSchema.nullable(),
  created_at: z.iso.datetime(),
});
export type Evidence = z.infer<typeof evidenceSchema>;
export type NewEvidence = Omit<Evidence, 'id' | 'run_id' | 'call_id' | 'created_at'> & { output: string };

/** A part of what it said, from `offset` on. */
export const evidencePartSchema = evidenceSchema.extend({
  output: z.string(),
  offset: z.int(),
  kept_chars: z.int(),
  next_offset: z.int().nullable(),
});
export type EvidencePart = z.infer<typeof evidencePartSchema>;

const HEAD_CHARS = 4_000;
const TAIL_CHARS = 8_000;

/** What a model is given of it: errors stand at the end, what was run at the beginning. */
export function headAndTail(text: string, callId: string): { output: string; output_cut: boolean } {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return { output: text, output_cut: false };
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  const mark = `[… ${left} of ${text.length} characters left out; read_result with call_id ${JSON.stringify(callId)} and offset ${HEAD_CHARS} has them …]`;
  return { output: `${text.slice(0, HEAD_CHARS)}\n${mark}\n${text.slice(-TAIL_CHARS)}`, output_cut: true };
}
