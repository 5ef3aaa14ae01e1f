import { count, short } from '../format.ts';

/** How much of a budget is used. */
export function Meter({ label, used, max }: { label: string; used: number; max: number }) {
  const share = max > 0 ? Math.min(1, used / max) : 0;
  const colour = share >= 1 ? 'bg-failed' : share >= 0.8 ? 'bg-waits' : 'bg-accent';
  return (
    <div className="flex min-w-0 flex-col gap-1" title={`${count(used)} of ${count(max)} ${label.toLowerCase()}`}>
      <div className="flex items-baseline justify-between gap-3 text-small">
        <span className="text-faint">{label}</span>
        <span>
          {short(used)} <span className="text-faint">/ {short(max)}</span>
        </span>
      </div>
      <meter className="sr-only" aria-label={label} min={0} max={max} value={Math.min(used, max)} />
      <div aria-hidden className="h-1 overflow-hidden rounded-full bg-line">
        <div
          className={`h-full rounded-full ${colour}`}
          style={{ width: `${Math.max(share * 100, used > 0 ? 2 : 0)}%` }}
        />
      </div>
    </div>
  );
}
