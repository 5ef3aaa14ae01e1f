import type { ReactNode } from 'react';

/** A box that scrolls by itself, and can be reached and named by those who use no mouse. */
export function Scroll({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={`max-h-96 overflow-auto font-mono text-small -outline-offset-2 ${className}`}
    >
      {children}
    </section>
  );
}
