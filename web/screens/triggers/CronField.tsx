import { TextField } from '../../components/Fields.tsx';
import { comingTimes, cronWords, inZone } from '../../cron-words.ts';

const COMMON = [
  ['Every hour', '0 * * * *'],
  ['Every day at 9', '0 9 * * *'],
  ['Weekdays at 9', '0 9 * * 1-5'],
  ['Mondays at 9', '0 9 * * 1'],
  ['First of the month', '0 9 1 * *'],
] as const;

const ZONES = Intl.supportedValuesOf?.('timeZone') ?? [];

interface Props {
  cron: string;
  zone: string;
  errors: Record<string, string>;
  onChange: (part: { cron_expression?: string; time_zone?: string }) => void;
}

/** When: as it is written, in words, and the next five times as a clock there shows them. */
export function CronField({ cron, zone, errors, onChange }: Props) {
  const read = cron.trim() === '' ? null : cronWords(cron);
  const times = comingTimes(cron, zone, 5);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label="Cron expression"
          required
          spellCheck={false}
          placeholder="0 9 * * 1-5"
          className="font-mono"
          value={cron}
          error={errors.cron_expression ?? (read && 'problem' in read ? read.problem : undefined)}
          onChange={(event) => onChange({ cron_expression: event.target.value })}
        />
        <TextField
          label="Time zone"
          required
          list="time-zones"
          spellCheck={false}
          value={zone}
          error={errors.time_zone}
          onChange={(event) => onChange({ time_zone: event.target.value })}
        />
        <datalist id="time-zones">
          {ZONES.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <ul aria-label="Often used" className="flex flex-wrap gap-2">
        {COMMON.map(([name, expression]) => (
          <li key={expression}>
            <button
              type="button"
              aria-pressed={cron === expression}
              onClick={() => onChange({ cron_expression: expression })}
              className="h-6 rounded-full border border-line px-2.5 text-small text-soft hover:bg-hover hover:text-ink aria-pressed:border-accent aria-pressed:text-ink pointer-coarse:h-9"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {read && 'words' in read && (
        <div className="rounded-md border border-line bg-canvas p-3" aria-live="polite">
          <p className="font-medium">{read.words}</p>
          {times.length > 0 && (
            <ol aria-label="Next five times" className="mt-1 text-small text-soft tabular-nums">
              {times.map((time) => (
                <li key={time.getTime()}>
                  <time dateTime={time.toISOString()}>{inZone(time, zone)}</time>
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
    </div>
  );
}
