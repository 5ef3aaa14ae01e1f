import { useSyncExternalStore } from 'react';

function media(query: string) {
  const list = window.matchMedia(query);
  const subscribe = (listener: () => void) => {
    list.addEventListener('change', listener);
    return () => list.removeEventListener('change', listener);
  };
  return () => useSyncExternalStore(subscribe, () => list.matches);
}

/** Where only one pane fits; Tailwind's `max-md`. */
export const useIsNarrow = media('(max-width: 767px)');

/** Where the rail takes too much; Tailwind's `max-lg`. */
export const useIsMedium = media('(max-width: 1023px)');
