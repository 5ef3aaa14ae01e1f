import { useSyncExternalStore } from 'react';

interface Stored {
  get: () => string | null;
  set: (value: string | null) => void;
  subscribe: (listener: () => void) => () => void;
  use: () => string | null;
}

/** A string that outlives the page and is the same in every tab. Where storage is blocked it lives with the page. */
export function stored(name: string): Stored {
  const listeners = new Set<() => void>();
  let value = read();

  function read(): string | null {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  window.addEventListener('storage', (event) => {
    if (event.key !== name && event.key !== null) return;
    value = read();
    tell();
  });

  const get = (): string | null => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      try {
        if (next === null) localStorage.removeItem(name);
        else localStorage.setItem(name, next);
      } catch {
        // Kept in memory only.
      }
      tell();
    },
    subscribe,
    use: () => useSyncExternalStore(subscribe, get),
  };
}
