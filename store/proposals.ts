import mongoose from 'mongoose';
import type { EditFactOf } from '../domain/edits/facts.ts';
import type { ProposalFile } from '../domain/edits/review.ts';
import { nativeCollection } from './connection.ts';
import { newId } from './ids.ts';
import { dropText, type KeptText, keepText, readText } from './kept-text.ts';

/**
 * The files of proposals, as they were when they were proposed: too much text for the log of a run, which names them.
 * Whoever may see the run may see them; nobody reaches them but through its log.
 */
interface StoredFile {
  _id: { stored: string; n: number };
  run: string;
  file_path: string;
  kept: KeptText;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<StoredFile>(
  { _id: { stored: String, n: Number }, run: String, file_path: String, kept: mixed },
  { collection: 'proposals', versionKey: false },
);
schema.index({ run: 1 });
mongoose.model('ProposalFile', schema);

const collection = () => nativeCollection<StoredFile>('proposals');
const of = (stored: string) => ({
  $gte: { stored, n: 0 },
  $lte: { stored, n: Number.MAX_SAFE_INTEGER },
});

const BATCH = 200;

/** Under a name of its own, so that an attempt that is overtaken leaves nothing that could be mixed up with it. */
export async function writeProposal(run: string, files: readonly ProposalFile[]): Promise<string> {
  const stored = newId('prp');
  for (let from = 0; from < files.length; from += BATCH) {
    const rows = files.slice(from, from + BATCH).map(async (file, index): Promise<StoredFile> => {
      const kept = await keepText(JSON.stringify(file));
      return { _id: { stored, n: from + index }, run, file_path: file.file_path, kept };
    });
    await collection().insertMany(await Promise.all(rows));
  }
  return stored;
}

const toFile = async ({ kept }: StoredFile): Promise<ProposalFile> => JSON.parse(await readText(kept));

export async function readProposal({ stored }: EditFactOf<'edits_proposed'>): Promise<ProposalFile[]> {
  const rows = await collection()
    .find({ _id: of(stored) })
    .sort({ _id: 1 })
    .toArray();
  return Promise.all(rows.map(toFile));
}

/** Those of the files that are named; in the order they were proposed. */
export async function readProposalFiles(
  { stored }: EditFactOf<'edits_proposed'>,
  paths: readonly string[],
): Promise<ProposalFile[]> {
  const rows = await collection()
    .find({ _id: of(stored), file_path: { $in: [...paths] } })
    .sort({ _id: 1 })
    .toArray();
  return Promise.all(rows.map(toFile));
}

/** With their run. Safe to repeat. */
export async function dropProposals(run: string): Promise<void> {
  for await (const { kept } of collection().find({ run, 'kept.blob': { $ne: null } })) await dropText(kept);
  await collection().deleteMany({ run });
}
