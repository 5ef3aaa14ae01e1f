/** A grey bar where text will be; hidden from screen readers, which hear the region's aria-busy instead. */
export function Skeleton({ className = '' }: { className?: string }) {
  return <span aria-hidden className={`inline-block h-3 animate-pulse rounded bg-hover ${className}`} />;
}
