import mongoose from 'mongoose';
import type { Fact } from '../domain/facts.ts';
import type { Entry, Token } from '../domain/log-entry.ts';
import { readBlob } from './blobs.ts';
import { nativeCollection } from './connection.ts';

/**
 * The log of a run: step ledger, event log and fence in one. One document per append in the slot `{run, n}`; slots
 * are contiguous, so whoever wants to append must have read everything before, and of two who try, one finds the slot
 * taken and reads on. That alone makes cursors gapless and appends atomic, without transactions.
 */
export interface StoredEntry {
  _id: { run: string; n: number };
  workspace: string;
  /** Tells an append whose acknowledgement was lost from somebody else's in the same slot. */
  nonce: string;
  token: Token | null;
  at: Date;
  facts: Fact[];
  /** Facts too large for one document of the log lie in the blob store. */
  blob: string | null;
  first_step: number;
  first_cursor: number;
}

const schema = new mongoose.Schema<StoredEntry>(
  {
    _id: { run: String, n: Number },
    workspace: String,
    nonce: String,
    token: mongoose.Schema.Types.Mixed,
    at: Date,
    facts: mongoose.Schema.Types.Mixed,
    blob: String,
    first_step: Number,
    first_cursor: Number,
  },
  { collection: 'log', versionKey: false, minimize: false },
);
schema.index({ '_id.run': 1, first_cursor: 1 });
mongoose.model('LogEntry', schema);

export const logCollection = () => nativeCollection<StoredEntry>('log');

export async function toEntry(stored: StoredEntry): Promise<Entry> {
  const facts = stored.blob ? (JSON.parse(await readBlob(stored.blob)) as Fact[]) : stored.facts;
  return {
    n: stored._id.n,
    token: stored.token,
    at: stored.at.toISOString(),
    facts,
    first_step: stored.first_step,
    first_cursor: stored.first_cursor,
  };
}
