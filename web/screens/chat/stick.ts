import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR_PX = 48;
const TOP_PX = 240;

/**
 * Keeps a box at its end while one is there, and where one is otherwise: what grows below does not move what is being
 * read. `size` grows with what there is to read.
 */
export function useStick(box: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, size: number) {
  const isAtEnd = useRef(true);
  const [hasLeft, setHasLeft] = useState(false);
  const [readUpTo, setReadUpTo] = useState(size);

  const leave = useCallback((left: boolean): void => {
    isAtEnd.current = !left;
    setHasLeft(left);
  }, []);
  const toEnd = useCallback((): void => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
    leave(false);
  }, [box, leave]);

  useEffect(() => {
    const element = content.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    });
    watch.observe(element);
    // The box itself shrinks when the line to write in grows.
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, [box, content]);

  useEffect(() => {
    if (!hasLeft) setReadUpTo(size);
  }, [hasLeft, size]);

  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    leave(element.scrollHeight - element.scrollTop - element.clientHeight > NEAR_PX);
  };
  return { hasLeft, hasNews: hasLeft && size > readUpTo, toEnd, leave, onScroll };
}

interface Earlier {
  hasEarlier: boolean;
  isReading: boolean;
  readEarlier: () => unknown;
}

/**
 * The index of the first row to draw: of many rows the newest, and more of the older ones as one comes near the top.
 * Away from the end it holds on to a row rather than a number, so that what comes in at either end moves nothing.
 */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  rows: readonly { key: string }[],
  step: number,
  hasLeft: boolean,
  { hasEarlier, isReading, readEarlier }: Earlier,
) {
  const [held, setHeld] = useState<string | null>(null);
  const anchor = useRef<{ element: Element; top: number } | null>(null);
  const found = held === null ? -1 : rows.findIndex(({ key }) => key === held);
  const first = found >= 0 ? found : Math.max(0, rows.length - step);

  // biome-ignore lint/correctness/useExhaustiveDependencies: holds on where one is when one leaves the end, not later
  useEffect(() => setHeld(hasLeft ? (rows[first]?.key ?? null) : null), [hasLeft]);

  const look = (): void => {
    const element = box.current;
    if (!hasLeft || held === null || !element || element.scrollTop > TOP_PX) return;
    if (first === 0) {
      if (hasEarlier && !isReading) readEarlier();
      return;
    }
    const top = element.querySelector('[data-row]');
    if (top) anchor.current = { element: top, top: top.getBoundingClientRect().top };
    setHeld(rows[Math.max(0, first - step)]?.key ?? null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when rows have come in above
  useLayoutEffect(() => {
    const was = anchor.current;
    anchor.current = null;
    if (hasLeft && was?.element.isConnected && box.current)
      box.current.scrollTop += was.element.getBoundingClientRect().top - was.top;
    look();
  }, [first, held]);
  return { first, look };
}
