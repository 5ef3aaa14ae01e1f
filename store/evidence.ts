import mongoose from 'mongoose';
import type { Evidence, EvidencePart, NewEvidence } from '../domain/evidence.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { deleteBlob, readBlob, writeBlob } from './blobs.ts';
import { nativeCollection } from './connection.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { findRun } from './runs.ts';

interface EvidenceDoc extends Omit<Evidence, 'id' | 'run_id' | 'created_at'> {
  _id: string;
  run: string;
  /** As long as it is short; else it lies in a blob. */
  output: string | null;
  blob: string | null;
  kept_chars: number;
  created_at: Date;
}

const INLINE_CHARS = 60_000;
const mixed = mongoose.Schema.Types.Mixed;

const schema = new mongoose.Schema<EvidenceDoc>(
  {
    _id: String,
    run: String,
    call_id: String,
    operation: String,
    argv: mixed,
    cwd: String,
    network: Boolean,
    confinement: String,
    exit_code: Number,
    signal: String,
    cut: String,
    started_at: String,
    duration_ms: Number,
    output_chars: Number,
    output_whole: Boolean,
    report: mixed,
    output: String,
    blob: String,
    kept_chars: Number,
    created_at: Date,
  },
  { collection: 'evidence', versionKey: false, minimize: false },
);
schema.index({ run: 1, created_at: 1, _id: 1 });
const EvidenceModel = mongoose.model<EvidenceDoc>('Evidence', schema);
const collection = () => nativeCollection<EvidenceDoc>('evidence');

const toEvidence = ({
  _id,
  run,
  output: _,
  blob: __,
  kept_chars: ___,
  created_at,
  ...rest
}: EvidenceDoc): Evidence => ({
  id: _id,
  run_id: run,
  ...rest,
  created_at: created_at.toISOString(),
});

/** For workers. Under the key of its call: whoever keeps it again takes its place. */
export async function keepEvidence(
  of: { key: string; run_id: string; call_id: string },
  { output, ...evidence }: NewEvidence,
): Promise<void> {
  const blob = output.length > INLINE_CHARS ? await writeBlob(output) : null;
  const doc = {
    ...evidence,
    run: of.run_id,
    call_id: of.call_id,
    output: blob === null ? output : null,
    blob,
    kept_chars: output.length,
    created_at: new Date(),
  };
  const before = await collection().findOneAndReplace({ _id: of.key }, doc, { upsert: true });
  if (before?.blob) await deleteBlob(before.blob);
}

const outputOf = async ({ output, blob }: EvidenceDoc): Promise<string> =>
  blob === null ? (output ?? '') : readBlob(blob);

/** For the run itself: the last thing that was run under a call; null where nothing was. */
export async function outputOfCall(run: string, callId: string): Promise<string | null> {
  const [found] = await collection().find({ run, call_id: callId }).sort({ created_at: -1 }).limit(1).toArray();
  return found ? outputOf(found) : null;
}

/** Whoever sees the run sees what it ran. */
export async function listEvidence(
  caller: Caller,
  runId: string,
  callId: string | undefined,
  page: PageRequest,
): Promise<Page<Evidence>> {
  await findRun(caller, runId);
  const filter = { run: runId, ...(callId === undefined ? {} : { call_id: callId }) };
  return readPage(EvidenceModel, filter, page, toEvidence);
}

export async function readEvidence(
  caller: Caller,
  runId: string,
  id: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<EvidencePart> {
  await findRun(caller, runId);
  const found = await collection().findOne({ _id: id, run: runId });
  if (!found) throw new Failure('not_found', `The run ${runId} has no evidence ${id}.`, { id: runId });
  const whole = await outputOf(found);
  const output = whole.slice(offset, offset + limit);
  const next = offset + output.length;
  const next_offset = next < whole.length ? next : null;
  return { ...toEvidence(found), output, offset, kept_chars: found.kept_chars, next_offset };
}

export async function dropEvidence(run: string): Promise<void> {
  const large = collection().find({ run, blob: { $ne: null } });
  for await (const { blob } of large) if (blob) await deleteBlob(blob);
  await collection().deleteMany({ run });
}
