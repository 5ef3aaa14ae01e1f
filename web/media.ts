import { useSyncExternalStore } from 'react';

/** Where only one pane fits. As wide as Tailwind's `md`. */
const narrow = window.matchMedia('(max-width: 767px)');

const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
};

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
