import { type RefObject, useEffect } from 'react';
import { hasDialog, isWriting } from './shortcuts.ts';

const WAITS = 'data-takes-focus';

/** What waits for a person takes the focus when it comes, or when the dialog that is over it closes. */
export function useWaitingFocus(waiting: RefObject<HTMLElement | null>, takesFocus: boolean): void {
  useEffect(() => {
    const element = waiting.current;
    if (!takesFocus || !element) return;
    element.setAttribute(WAITS, '');
    if (!hasDialog() && !isWriting(document.activeElement)) element.focus({ preventScroll: true });
    return () => element.removeAttribute(WAITS);
  }, [waiting, takesFocus]);
}

/** A dialog that closes gives the focus back to where it was, unless something has begun to wait meanwhile. */
export function focusWaiting(event: Event): void {
  const waiting = document.querySelector<HTMLElement>(`[${WAITS}]`);
  if (!waiting) return;
  event.preventDefault();
  if (!isWriting(document.activeElement)) waiting.focus({ preventScroll: true });
}
