/** A text as a pattern that finds just this. The store takes no pattern with U+0000 in it, but takes its number. */
export const literalPattern = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '\\x00');
