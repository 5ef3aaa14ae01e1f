import { type ReactNode, useLayoutEffect, useRef } from 'react';

/** So near the end is at the end: a line may be cut in half. */
const NEAR_PX = 24;

/** A box that scrolls by itself, and can be reached and named by those who use no mouse. */
export function Scroll({
  label,
  className = '',
  follows,
  children,
}: {
  label: string;
  className?: string;
  /** What grows at its end: the end stays in view until somebody scrolls away from it. */
  follows?: string;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (follows !== undefined && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follows]);
  return (
    <section
      ref={box}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={`max-h-96 overflow-auto font-mono text-small -outline-offset-2 ${className}`}
    >
      {children}
    </section>
  );
}
