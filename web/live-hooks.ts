import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Connection, Live } from './live.ts';
import { type RunFeed, runFeed } from './run-feed.ts';

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
  return useSyncExternalStore(feed.subscribe, feed.state);
}
