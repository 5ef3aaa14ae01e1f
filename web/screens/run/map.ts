import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openRuns, type Row, rowsOf } from '../../activity.ts';
import { useRunFeeds } from '../../live-hooks.ts';
import type { Transcript } from '../../transcript.ts';

/** Beyond these, runs below are opened by hand: a page that follows hundreds would be slow, and nobody could read it. */
const OPENED_AT_ONCE = 12;

function toggled(set: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Calls at work elsewhere whose activity is not shown. */
const closedAtWork = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) =>
    row.type === 'item' && row.open === false && row.item.kind === 'call' && row.item.result === null ? [row.key] : [],
  );

/** `<run>/<node>` for a node of a run below. */
function placeOf(key: string | null): { run_id: string; key: string } | null {
  const [, run_id, rest] = /^(run_[^/]+)\/(.+)$/.exec(key ?? '') ?? [];
  return run_id && rest ? { run_id, key: rest } : null;
}

/** The rows of a run with those of the runs below that are open, all of them live. */
export function useMap(transcript: Transcript, chosen: string | null) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { items } = transcript;
  const place = placeOf(chosen);
  const feeds = useRunFeeds((known) => [
    ...openRuns(items, opened, (id) => known.get(id)?.transcript.items),
    ...(place ? [place.run_id] : []),
  ]);
  const transcriptOf = useCallback((id: string) => feeds.get(id)?.transcript, [feeds]);
  const rows = useMemo(() => rowsOf(items, opened, (id) => transcriptOf(id)?.items), [items, opened, transcriptOf]);

  // What is at work when it comes into sight is opened once; whoever closes it is not overruled.
  const met = useRef(new Set<string>());
  const fresh = closedAtWork(rows).filter((key) => !met.current.has(key));
  const added = fresh.slice(0, Math.max(0, OPENED_AT_ONCE - met.current.size)).join('\n');
  useEffect(() => {
    if (added === '') return;
    const keys = added.split('\n');
    for (const key of keys) met.current.add(key);
    setOpened((set) => new Set([...set, ...keys]));
  }, [added]);
  const toggle = useCallback((key: string): void => {
    met.current.add(key);
    setOpened((set) => toggled(set, key));
  }, []);

  const own = place && feeds.get(place.run_id)?.transcript;
  const isOwn = (key: string): boolean => items.some((item) => item.key === key);
  const node = (): { run_id: string | null; key: string; transcript: Transcript } | null => {
    if (chosen === null) return null;
    if (isOwn(chosen)) return { run_id: null, key: chosen, transcript };
    const isBelow = own?.items.some((item) => item.key === place?.key) ?? false;
    return place && own && isBelow ? { ...place, transcript: own } : null;
  };
  return { rows, toggle, transcriptOf, chosen: node() };
}
