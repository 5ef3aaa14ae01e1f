import { limitsSet } from '../../../domain/budget.ts';
import type { Run } from '../../../domain/run.ts';
import { Meter } from '../../components/Meter.tsx';
import { cost, count, duration, money, short, size } from '../../format.ts';
import type { Spending } from '../../transcript-items.ts';

/** Elapsed seconds need no fractions on a bar. */
const time = (ms: number): string => duration(Math.floor(ms / 1000) * 1000 || ms);

/** What the run and all below it have used of what they may, and how long its history is. */
export function RunMeters({
  run,
  told,
  showsAll,
}: {
  run: Run | undefined;
  /** As far as the logs on the page tell. */
  told: Spending;
  showsAll: boolean;
}) {
  // The logs are ahead of the record while the run works; of runs below that are not on the page, only the record knows.
  const iterations = Math.max(told.iterations, run?.tree.iterations ?? 0);
  const tokens = Math.max(told.tokens, run?.tree.tokens ?? 0);
  const usd = Math.max(told.cost_usd ?? 0, run?.tree.cost_usd ?? 0);
  const limits = run ? limitsSet(run) : { iterations: null, tokens: null };
  const isPriced = run?.cost_usd !== null;
  const active = run?.active_ms ?? 0;
  const maxTime = run?.budget_max_duration ? run.budget_max_duration * 1000 : null;
  const maxCost = run?.budget_max_cost_usd ?? null;
  const sure = (text: string, unconfirmed: number, show: (value: number) => string): string =>
    unconfirmed > 0 ? `${text}; up to ${show(unconfirmed)} more not confirmed` : text;
  const of = (used: string, max: string | null, what: string): string =>
    max === null ? `${used} ${what}, no limit` : `${used} of ${max} ${what}`;
  return (
    <div
      className={`grid grid-cols-5 gap-x-6 gap-y-2 max-lg:grid-cols-3 max-sm:grid-cols-2 max-sm:gap-x-5 ${showsAll ? '' : 'max-sm:*:nth-[n+3]:hidden'}`}
    >
      <Meter
        label="Iterations"
        used={iterations}
        max={limits.iterations}
        show={short}
        title={of(count(iterations), limits.iterations === null ? null : count(limits.iterations), 'iterations')}
      />
      <Meter
        label="Tokens"
        used={tokens}
        max={limits.tokens}
        unconfirmed={run?.unconfirmed_tokens ?? 0}
        show={short}
        title={sure(
          of(count(tokens), limits.tokens === null ? null : count(limits.tokens), 'tokens'),
          run?.unconfirmed_tokens ?? 0,
          count,
        )}
      />
      <Meter
        label="Cost"
        used={usd}
        max={maxCost}
        unconfirmed={run?.unconfirmed_cost_usd ?? 0}
        show={isPriced ? money : (value) => (value === usd && usd === 0 ? cost(null) : money(value))}
        title={sure(
          of(money(usd), maxCost === null ? null : money(maxCost), 'US dollars'),
          run?.unconfirmed_cost_usd ?? 0,
          money,
        )}
      />
      <Meter
        label="Time at work"
        used={active}
        max={maxTime}
        show={time}
        title={of(time(active), maxTime === null ? null : time(maxTime), 'at work; waiting for people does not count')}
      />
      {run?.history && (
        <Meter
          label="History"
          used={run.history.events}
          max={run.history.max_events}
          show={short}
          title={`${count(run.history.events)} of ${count(run.history.max_events)} events in Temporal, ${size(run.history.bytes)}; beyond that a new history begins and the run goes on`}
        />
      )}
    </div>
  );
}
