interface Waiting {
  read: () => Promise<unknown>;
  promise: Promise<unknown>;
  done: (value: unknown) => void;
  failed: (error: unknown) => void;
}

/**
 * Reads that several ask for at about the same time are made once. Nobody is given what was begun before they asked:
 * only who comes before a read has begun has part in it. Few are under way at a time, so that hundreds of clients that
 * come back at once are read for run by run, and not each for itself.
 */
export class SharedReads {
  private readonly waiting = new Map<string, Waiting>();
  private underWay = 0;
  private isDue = false;

  constructor(private readonly atOnce = 4) {}

  /** What the same key stands for is read in the same way, whoever asks. */
  read<T>(key: string, read: () => Promise<T>): Promise<T> {
    let found = this.waiting.get(key);
    if (!found) {
      const { promise, resolve, reject } = withResolvers();
      found = { read, promise, done: resolve, failed: reject };
      this.waiting.set(key, found);
    }
    this.soon();
    return found.promise as Promise<T>;
  }

  private soon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.begin();
    });
  }

  private begin(): void {
    for (const [key, { read, done, failed }] of this.waiting) {
      if (this.underWay >= this.atOnce) return;
      this.waiting.delete(key);
      this.underWay += 1;
      void read()
        .then(done, failed)
        .finally(() => {
          this.underWay -= 1;
          this.begin();
        });
    }
  }
}

function withResolvers() {
  let resolve: (value: unknown) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
}
