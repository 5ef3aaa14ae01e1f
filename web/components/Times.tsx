import { useSyncExternalStore } from 'react';
import { ago, duration, elapsed, exactly } from '../format.ts';

const listeners = new Set<() => void>();
let now = Date.now();
let timer = 0;

/** One clock for the whole page; it stands still while nobody looks at it. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = window.setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, 1000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

const currentTime = (): number => {
  // With nobody subscribed yet the clock may have stood still for long.
  if (listeners.size === 0) now = Date.now();
  return now;
};
const roughTime = (): number => Math.floor(currentTime() / 10_000) * 10_000;

const useNow = (): number => useSyncExternalStore(subscribe, currentTime);

/** How long ago, with the exact time on hover. */
export function Ago({ at, className = '' }: { at: string; className?: string }) {
  // A table of these need not render every second.
  const rough = useSyncExternalStore(subscribe, roughTime);
  return (
    <time dateTime={at} title={exactly(at)} className={className}>
      {ago(at, rough)}
    </time>
  );
}

/** Counts on until there is an end. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  return to === null ? <Ticking from={from} /> : <span>{duration(Date.parse(to) - Date.parse(from))}</span>;
}

function Ticking({ from }: { from: string }) {
  return <span>{elapsed(useNow() - Date.parse(from))}</span>;
}

export function In({ at }: { at: string }) {
  const left = Date.parse(at) - useNow();
  return <span title={exactly(at)}>{left <= 0 ? 'now' : `in ${elapsed(left + 999)}`}</span>;
}
