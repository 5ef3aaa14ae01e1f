import { useState } from 'react';
import { asText } from '../../format.ts';

/** A value as text, and what the edited text means: words that were words stay words, everything else is JSON. */
export function useJsonText(before: unknown) {
  const first = asText(before);
  const [text, setText] = useState(first);
  let value: unknown = text;
  let isWrong = false;
  if (typeof before !== 'string') {
    try {
      value = text.trim() === '' ? null : JSON.parse(text);
    } catch {
      isWrong = true;
    }
  }
  return { text, setText, value, isWrong, isChanged: text !== first };
}
