/** Only where all line ends are of the other kind: what is mixed stays mixed, with its returns shown. */
export const lineEndOf = (text: string): '\r\n' | '\n' =>
  text.includes('\r\n') && !/(^|[^\r])\n/.test(text) ? '\r\n' : '\n';
