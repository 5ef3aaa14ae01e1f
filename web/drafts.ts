import { useEffect, useRef, useState } from 'react';
import { isRecord } from '../domain/json-value.ts';
import { stored } from './stored.ts';

const drafts = stored('longhaul.drafts');
const SAVE_AFTER_MS = 300;

function all(): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(drafts.get() ?? '{}');
    if (!isRecord(kept)) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function keep(name: string, text: string): void {
  const { [name]: _, ...others } = all();
  const next = text === '' ? others : { ...others, [name]: text };
  drafts.set(Object.keys(next).length === 0 ? null : JSON.stringify(next));
}

/** What somebody has begun to write, kept per conversation until it is sent. Remount it for another conversation. */
export function useDraft(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => all()[name] ?? '');
  const current = useRef(text);
  current.current = text;
  useEffect(() => {
    const timer = window.setTimeout(() => keep(name, text), SAVE_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [name, text]);
  useEffect(() => {
    const save = (): void => keep(name, current.current);
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      save();
    };
  }, [name]);
  return [text, setText];
}
