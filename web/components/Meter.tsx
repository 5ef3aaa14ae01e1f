interface Props {
  label: string;
  used: number;
  /** Null where there is no limit. */
  max: number | null;
  /** What may have been used as well: sent, and never answered. */
  unconfirmed?: number;
  show: (value: number) => string;
  /** The exact figures, in a sentence. */
  title: string;
}

const HATCHED = 'repeating-linear-gradient(135deg, var(--waits) 0 2px, transparent 2px 4px)';

/** How much of a budget is used; what is not confirmed is hatched. */
export function Meter({ label, used, max, unconfirmed = 0, show, title }: Props) {
  const share = (value: number): number => (max !== null && max > 0 ? Math.min(1, value / max) : 0);
  const settled = share(used);
  const open = Math.max(0, share(used + unconfirmed) - settled);
  const colour = settled >= 1 ? 'bg-failed' : settled >= 0.8 ? 'bg-waits' : 'bg-accent';
  return (
    <div className="flex min-w-0 flex-col gap-1" title={title}>
      <div className="flex items-baseline justify-between gap-3 text-small whitespace-nowrap">
        <span className="text-faint">{label}</span>
        <span>
          {show(used)}
          {unconfirmed > 0 && <span className="text-waits"> +{show(unconfirmed)}</span>}
          {max !== null && <span className="text-faint"> / {show(max)}</span>}
        </span>
      </div>
      {max !== null && <meter className="sr-only" aria-label={label} min={0} max={max} value={Math.min(used, max)} />}
      {/* Without a limit there is nothing to fill. */}
      <div aria-hidden className={`flex h-1 overflow-hidden rounded-full ${max === null ? '' : 'bg-line'}`}>
        <div className={`h-full ${colour}`} style={{ width: `${Math.max(settled * 100, used > 0 && max ? 2 : 0)}%` }} />
        {open > 0 && <div className="h-full" style={{ width: `${open * 100}%`, backgroundImage: HATCHED }} />}
      </div>
    </div>
  );
}
