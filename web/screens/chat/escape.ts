import { useEffect, useRef, useState } from 'react';

const TWICE_WITHIN_MS = 1_500;

/** Escape pressed twice, also while writing; the first press says what the second will do. */
export function useTwiceEscape(isOn: boolean, act: () => void): boolean {
  const [isFirst, setFirst] = useState(false);
  const current = useRef(act);
  current.current = act;
  useEffect(() => {
    if (!isOn) return;
    let timer = 0;
    const forget = (): void => {
      window.clearTimeout(timer);
      timer = 0;
      setFirst(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      // Taken by a dialog, a menu, or a form one goes back from.
      if (event.defaultPrevented || event.isComposing) forget();
      else if (timer !== 0) {
        forget();
        current.current();
      } else {
        setFirst(true);
        timer = window.setTimeout(forget, TWICE_WITHIN_MS);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      forget();
    };
  }, [isOn]);
  return isFirst;
}
