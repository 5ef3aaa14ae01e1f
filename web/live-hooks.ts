import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { eachFrame } from './each-frame.ts';
import type { Connection, Live } from './live.ts';
import { type FeedState, type RunFeed, runFeed } from './run-feed.ts';

export const LiveContext = createContext<Live | null>(null);

const STARTING: Connection = { state: 'catching_up' };
const never = () => () => undefined;

export function useConnection(): Connection {
  const live = useContext(LiveContext);
  return useSyncExternalStore(live?.onConnection ?? never, live?.connection ?? (() => STARTING));
}

const nothing = runFeed(() => undefined);

/** The transcript of a run, kept up to date for as long as the component is there. */
export function useRunFeed(runId: string) {
  const live = useContext(LiveContext);
  const [feed, setFeed] = useState<RunFeed>(nothing);
  useEffect(() => {
    if (!live) return;
    const held = live.feed(runId);
    setFeed(held.feed);
    return () => {
      held.release();
      setFeed(nothing);
    };
  }, [live, runId]);
  const subscribe = useCallback(
    (tell: () => void) => {
      const drawn = eachFrame(tell);
      const stop = feed.subscribe(drawn.ask);
      return () => {
        stop();
        drawn.stop();
      };
    },
    [feed],
  );
  return useSyncExternalStore(subscribe, feed.state);
}

type Feeds = ReadonlyMap<string, FeedState>;

/**
 * The transcripts of several runs. Which ones may follow from what they say (a run below names those below it), so it
 * is asked with what is known so far; those that stay wanted are never let go in between.
 */
export function useRunFeeds(wanted: (known: Feeds) => readonly string[]): Feeds {
  const live = useContext(LiveContext);
  const [known, setKnown] = useState<Feeds>(new Map());
  const held = useRef(new Map<string, { feed: RunFeed; letGo: () => void }>());
  const tell = useCallback(() => setKnown(new Map([...held.current].map(([id, { feed }]) => [id, feed.state()]))), []);
  const ids = [...new Set(wanted(known))].toSorted().join(' ');

  useEffect(() => {
    if (!live) return;
    const next = new Set(ids.split(' ').filter((id) => id !== ''));
    const left = [...held.current].filter(([id]) => !next.has(id));
    for (const [id, { letGo }] of left) {
      letGo();
      held.current.delete(id);
    }
    const fresh = [...next].filter((id) => !held.current.has(id));
    for (const id of fresh) {
      const { feed, release } = live.feed(id);
      const drawn = eachFrame(tell);
      const stop = feed.subscribe(drawn.ask);
      held.current.set(id, {
        feed,
        letGo: () => {
          stop();
          drawn.stop();
          release();
        },
      });
    }
    if (left.length + fresh.length > 0) tell();
  }, [live, ids, tell]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another connection has feeds of its own
  useEffect(() => {
    const all = held.current;
    return () => {
      for (const { letGo } of all.values()) letGo();
      all.clear();
    };
  }, [live]);
  return known;
}
