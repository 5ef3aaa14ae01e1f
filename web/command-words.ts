/** A command as it is typed, in its words: quotes keep blanks together, as a shell would. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))/g)].map(
    ([, double, single, bare]) => double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '',
  );
