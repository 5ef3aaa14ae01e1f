import { useEffect, useRef } from 'react';
import { isTyping } from '../../shortcuts.ts';

/** Ctrl Z and Ctrl Shift Z (⌘ on a Mac, or Ctrl Y). Where somebody types, they belong to what is typed. */
export function useUndoKeys(back: (way: 'undo' | 'redo') => void): void {
  const does = useRef(back);
  does.current = back;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      does.current(key === 'y' || event.shiftKey ? 'redo' : 'undo');
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
