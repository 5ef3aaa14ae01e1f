import mongoose from 'mongoose';
import type { Fact } from '../domain/facts.ts';
import type { Entry } from '../domain/log-entry.ts';
import type { Delta, ToolOutput } from '../domain/run-events.ts';
import { type StoredDelta, toDelta } from './deltas.ts';
import { type StoredEntry, toEntry } from './log-record.ts';
import { type StoredOutput, toOutput } from './outputs.ts';

export interface LogListener {
  entry: (run: string, workspace: string, entry: Entry) => void;
  delta?: (delta: Delta) => void;
  output?: (output: ToolOutput) => void;
  /** Only entries with a fact of one of these kinds; all without it. What nobody needs is best never sent. */
  kinds?: Fact['kind'][];
  /** Something may have been missed: whoever follows a run must read on from what it has. */
  gap: () => void;
}

type Stored = StoredEntry | StoredDelta | StoredOutput;
type Change = mongoose.mongo.ChangeStreamInsertDocument<Stored>;

const isEntry = (document: Stored): document is StoredEntry => 'first_cursor' in document;
const isOutput = (document: StoredDelta | StoredOutput): document is StoredOutput => 'call' in document;

/** One change stream per process, over the log and the deltas; goes on by itself after a loss of the database. */
export function watchLog(listener: LogListener, onError: (error: unknown) => void): () => Promise<void> {
  const namespaces = ['log', ...(listener.delta ? ['deltas'] : []), ...(listener.output ? ['outputs'] : [])];
  const ofKinds = listener.kinds ? { 'fullDocument.facts.kind': { $in: listener.kinds } } : {};
  let closed = false;
  let resumeAfter: mongoose.mongo.ResumeToken | undefined;
  let stream: mongoose.mongo.ChangeStream<Stored, Change> | undefined;

  const follow = async (): Promise<void> => {
    const { db } = mongoose.connection;
    if (!db) throw new Error('the store is not connected');
    stream = db.watch<Stored, Change>(
      [{ $match: { operationType: 'insert', 'ns.coll': { $in: namespaces }, ...ofKinds } }],
      { ...(resumeAfter ? { resumeAfter } : {}), maxAwaitTimeMS: 1000 },
    );
    // The stream begins when the server has it, not when it is asked for: only then is nothing missed. And what was
    // being handed on when the last one broke may not have arrived.
    await stream.tryNext().then((change) => change && deliver(change));
    listener.gap();
    for await (const change of stream) await deliver(change);
  };

  const deliver = async (change: Change): Promise<void> => {
    resumeAfter = change._id;
    const document = change.fullDocument;
    if (isEntry(document)) listener.entry(document._id.run, document.workspace, await toEntry(document));
    else if (isOutput(document)) listener.output?.(toOutput(document));
    else listener.delta?.(toDelta(document));
  };

  const loop = async (): Promise<void> => {
    while (!closed) {
      try {
        await follow();
      } catch (error) {
        if (closed) return;
        onError(error);
        // Where the resume point is no longer in the oplog, begin anew and tell everybody to read on.
        if (error instanceof mongoose.mongo.MongoServerError) resumeAfter = undefined;
        await stream?.close().catch(() => undefined);
        await new Promise((done) => setTimeout(done, 250));
      }
    }
  };
  const running = loop();
  return async () => {
    closed = true;
    await stream?.close().catch(() => undefined);
    await running;
  };
}
