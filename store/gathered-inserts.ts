import mongoose from 'mongoose';
import { isUnreachable, storeDatabase } from './connection.ts';

interface Waiting<T> {
  doc: T;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Documents of the log are up to 256 KB: what goes together stays far below what one message may be. */
const MOST_TOGETHER = 100;

/**
 * Inserts of many who do not know of each other, in as few commands as possible: what comes in the same turn of the
 * event loop, or while others are under way, goes together. So who is alone never waits, and many at once share the
 * round trip and the writing of the journal. Each is told of its own document alone, as if it had inserted it alone.
 */
export class GatheredInserts<T extends mongoose.mongo.Document> {
  private waiting: Waiting<T>[] = [];
  private underWay = 0;
  private isDue = false;

  constructor(
    private readonly collection: string,
    /** How many commands may be under way at a time. */
    private readonly atOnce: number,
    private readonly writeConcern: { w: 'majority' } | { w: 1; j: true } = { w: 'majority' },
  ) {}

  insert(doc: T): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ doc, done, failed });
      this.soon();
    });
  }

  private soon(): void {
    if (this.isDue || this.waiting.length === 0 || this.underWay >= this.atOnce) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      void this.send(this.waiting.splice(0, MOST_TOGETHER));
    });
  }

  private async send(together: Waiting<T>[]): Promise<void> {
    this.underWay += 1;
    this.soon();
    try {
      await this.give(together);
    } catch (error) {
      // One that the store does not take as it is must not keep the others out.
      if (together.length > 1 && !isUnreachable(error)) for (const each of together) await this.send([each]);
      else for (const { failed } of together) failed(error);
    }
    this.underWay -= 1;
    this.soon();
  }

  /** Tells each that is done or was refused; throws what concerns all of them. */
  private async give(together: Waiting<T>[]): Promise<void> {
    const documents = together.map(({ doc }) => doc);
    // Past the driver's bulk writes, which measure every document first and hide of which kind an error was.
    const { writeErrors = [] } = (await storeDatabase().command(
      { insert: this.collection, documents, ordered: false, writeConcern: this.writeConcern },
      { ignoreUndefined: true },
    )) as { writeErrors?: { index: number }[] };
    const refused = new Map(writeErrors.map((each) => [each.index, new mongoose.mongo.MongoServerError(each)]));
    together.forEach(({ done, failed }, index) => {
      const error = refused.get(index);
      if (error) failed(error);
      else done();
    });
  }
}
