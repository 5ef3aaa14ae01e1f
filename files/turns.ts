const turns = new Map<string, Promise<unknown>>();

/** One after the other for the same key, so that nothing comes between a look and the change that rests on it. */
export async function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const mine = (turns.get(key) ?? Promise.resolve()).then(act, act);
  turns.set(key, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(key) === mine) turns.delete(key);
  }
}
