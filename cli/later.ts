/**
 * A command whose code is read once it is run: what one command needs (schemas, prompts, YAML, engines) must not be
 * waited for by all others, nor by `--help`.
 */
export const later =
  <A extends unknown[]>(load: () => Promise<(...args: A) => unknown>) =>
  async (...args: A): Promise<void> => {
    await (await load())(...args);
  };
