import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';

export interface Unsaved {
  asks: boolean;
  stay: () => void;
  leave: () => void;
  letGo: () => void;
}

/** Asks before the page or its address is left with something unsaved. `letGo` says that this time it is meant. */
export function useUnsaved(isDirty: boolean): Unsaved {
  const isMeant = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !isMeant.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
  return {
    asks: blocker.state === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
    letGo: () => {
      isMeant.current = true;
    },
  };
}
