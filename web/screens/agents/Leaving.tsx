import { type RefObject, useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Confirm } from '../../components/Dialogs.tsx';

/** Asks before what is not saved is left behind, within the page and by the browser. */
export function Leaving({ isChanged, isSaved }: { isChanged: boolean; isSaved?: RefObject<boolean> }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isChanged && isSaved?.current !== true && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
  return (
    <Confirm
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.state === 'blocked' && blocker.reset()}
      title="Leave without saving?"
      description="What you have changed here is not saved, and is lost when you leave."
      confirm="Leave without saving"
      keep="Stay"
      onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
    />
  );
}
