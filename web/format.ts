const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`, `3 d 2 h`: two units at most. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  const two = (unit: number, name: string, below: number, belowName: string): string => {
    const rest = Math.floor((ms % unit) / below);
    return `${Math.floor(ms / unit)} ${name}${rest > 0 ? ` ${rest} ${belowName}` : ''}`;
  };
  if (ms < HOUR) return two(MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return two(HOUR, 'h', MINUTE, 'min');
  return two(DAY, 'd', HOUR, 'h');
}

/** For a clock that ticks: whole seconds only, so that the figure does not flicker. */
export const elapsed = (ms: number): string =>
  ms < MINUTE ? `${Math.max(0, Math.floor(ms / SECOND))} s` : duration(ms);

export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms < 10 * SECOND) return 'just now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  if (ms < 30 * DAY) return `${Math.floor(ms / DAY)} d ago`;
  return new Date(iso).toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
}

export const exactly = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });

export const clock = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });

export const count = (value: number): string => value.toLocaleString('en');

/** `940`, `12.3k`, `1.2M`, `1.0B`: for a column; the exact figure belongs beside it or on hover. */
export function short(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_950) return `${(value / 1000).toFixed(value < 9950 ? 1 : 0)}k`;
  const [unit, name] = value < 999_950_000 ? [1_000_000, 'M'] : [1_000_000_000, 'B'];
  return `${(value / unit).toFixed(1)}${name}`;
}

/** `$0`, `$0.0042`, `$0.12`, `$3.40`, `$1,234`: as many places as tell it from nothing. */
export function money(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  if (usd < 0.01) return `$${Number(usd.toPrecision(2))}`;
  return `$${usd.toLocaleString('en', usd < 1000 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumFractionDigits: 0 })}`;
}

/** What something cost; a call without a known price makes the sum unknown. */
export const cost = (usd: number | null): string => (usd === null ? 'price unknown' : money(usd));

/** `820 B`, `12 KB`, `3.4 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Whatever an input or output is, as text a person can read. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value, null, 2);

/** What a run was given, in one line: fields by name where it was given several. */
export const inputLine = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, field]) => `${name}: ${typeof field === 'string' ? firstLine(field) : JSON.stringify(field)}`)
        .join(', ')
    : firstLine(asText(value));

/** The first line that says something, without Markdown's marks. */
export const firstLine = (value: string): string =>
  (value.split('\n').find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '')
    .replace(/^[\s#>*+-]+/, '')
    .replace(/(\*\*|__|`)/g, '')
    .trim();

export const isDemo = (model: string): boolean => /^demo[/:]/.test(model);

/** The end of an id: enough to tell it from its neighbours, short enough for a line. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);
