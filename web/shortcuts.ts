import { useEffect, useRef } from 'react';

type Keys = Record<string, (event: KeyboardEvent) => void>;

const CHORD_MS = 1_000;
const layers: { current: Keys }[] = [];
let chordAt = 0;

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** Has begun to write something: whoever takes the focus away now takes letters with it. */
export const isWriting = (target: EventTarget | null): boolean =>
  isTyping(target) &&
  !((target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value === '');

export const hasDialog = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

/** One listener for the page, so that `g a` is never also taken for an `a`. */
function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isMod = event.metaKey || event.ctrlKey;
  if (!isMod && (isTyping(event.target) || hasDialog())) return;
  // Enter belongs to what has the focus.
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button')) return;
  const isChord = !isMod && Date.now() - chordAt < CHORD_MS;
  chordAt = 0;
  if (!isMod && !isChord && event.key === 'g') {
    chordAt = Date.now();
    return;
  }
  const name = `${isMod ? 'mod+' : isChord ? 'g ' : ''}${event.key.toLowerCase()}`;
  const run = layers.findLast((layer) => layer.current[name])?.current[name];
  if (!run) return;
  event.preventDefault();
  run(event);
}

/** Single keys work only where nobody types and no dialog is open; `mod+…` (Ctrl or ⌘) works everywhere. */
export function useShortcuts(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    if (layers.length === 0) window.addEventListener('keydown', onKey);
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener('keydown', onKey);
    };
  }, []);
}

export const modName = (): string => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl');
