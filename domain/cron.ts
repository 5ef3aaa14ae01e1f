import { Cron } from 'croner';

const NICKNAMES: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** Signs that only some crons know would mean one thing here and another where the schedule fires. */
const FIELD = /^[\dA-Za-z*,\-/]+$/;
const NAME = /^(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)$/i;

type Fields = [minute: string, hour: string, day: string, month: string, weekday: string];

const spelledOut = (expression: string): string => NICKNAMES[expression.trim().toLowerCase()] ?? expression.trim();

function fieldsOf(expression: string): Fields {
  const [minute, hour, day, month, weekday, ...more] = spelledOut(expression).split(/\s+/);
  if (weekday === undefined || more.length > 0) {
    throw new Error('give five fields: minute, hour, day of the month, month and day of the week');
  }
  return [minute ?? '', hour ?? '', day ?? '', month ?? '', weekday];
}

/** What is wrong with it, in words for who wrote it; null where nothing is. */
export function cronProblem(expression: string): string | null {
  try {
    const fields = fieldsOf(expression);
    for (const field of fields) {
      const words = field.match(/[A-Za-z]+/g) ?? [];
      const odd = FIELD.test(field) ? words.find((word) => !NAME.test(word)) : field;
      if (odd !== undefined) return `“${odd}” is not understood; use numbers, names of days and months, and * , - /`;
    }
    if (!wallClock(expression).nextRun(new Date(0))) return 'it never comes to pass';
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
}

/**
 * The zone under a name that every list of zones has. `Intl` takes europe/berlin as well, where Temporal knows no such
 * zone and would never fire.
 */
export const zoneName = (zone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

/** Null where the zone is one that is known; offsets are no zones, since they have no summer. */
export function zoneProblem(zone: string): string | null {
  try {
    if (/^[A-Za-z][\w+\-/]*$/.test(zone)) return zoneName(zone) && null;
  } catch {
    // Said below.
  }
  return 'give a time zone by its name, like Europe/Berlin or UTC';
}

/**
 * Whether either kind of day will do, as in every cron there is where both are given; where one of them begins with a
 * star (also with steps), both must fit.
 */
export function takesEitherDay(expression: string): boolean {
  const [, , day, , weekday] = fieldsOf(expression);
  return !day.startsWith('*') && !weekday.startsWith('*');
}

/** As Temporal takes it, where all fields must fit at once: two expressions stand for one that takes either day. */
export function cronParts(expression: string): string[] {
  const [minute, hour, day, month, weekday] = fieldsOf(expression);
  if (!takesEitherDay(expression)) return [[minute, hour, day, month, weekday].join(' ')];
  return [[minute, hour, day, month, '*'].join(' '), [minute, hour, '*', month, weekday].join(' ')];
}

/** On a clock without zones: what it shows is written as if it were UTC. */
const wallClock = (expression: string): Cron =>
  new Cron(fieldsOf(expression).join(' '), {
    timezone: 'UTC',
    paused: true,
    domAndDow: !takesEitherDay(expression),
  });

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const fresh = new Intl.DateTimeFormat('en-US', { ...numeric, second: 'numeric', hourCycle: 'h23', timeZone: zone });
  formats.set(zone, fresh);
  return fresh;
}

/** What a clock in the zone shows at that moment, written as if it were UTC. */
function shown(zone: string, at: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, day = 1] = [parts.get('year'), parts.get('month'), parts.get('day')];
  return Date.UTC(year, month - 1, day, parts.get('hour'), parts.get('minute'), parts.get('second'));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * When a clock in the zone shows this, as Temporal takes it: once, and never where the clock is put forward. Where it is
 * put back and shows it twice, both count west of Greenwich and the second alone east of it.
 */
function momentsOf(zone: string, wall: number): number[] {
  const offsets = new Set([wall - DAY_MS, wall + DAY_MS].map((at) => shown(zone, at) - at));
  const moments = [...offsets].map((offset) => wall - offset).filter((at) => shown(zone, at) === wall);
  const last = Math.max(...moments);
  return moments.length > 1 && 2 * wall - shown(zone, wall) === last ? [last] : moments;
}

/** Longer than any clock is put forward or back. */
const SLACK_MS = 3 * HOUR_MS;

/** The next times after `after`, as the schedule fires. */
export function nextTimes(expression: string, zone: string, after: Date, count: number): Date[] {
  const found: number[] = [];
  const from = shown(zone, after.getTime()) - SLACK_MS;
  let wall: Date | null = new Date(from);
  const clock = wallClock(expression);
  for (;;) {
    wall = clock.nextRun(wall);
    const last = found[count - 1];
    // What comes later on the clock can be no earlier than this.
    if (!wall || (last !== undefined && wall.getTime() > shown(zone, last) + SLACK_MS)) break;
    found.push(...momentsOf(zone, wall.getTime()).filter((at) => at > after.getTime()));
    found.sort((a, b) => a - b);
  }
  return found.slice(0, count).map((at) => new Date(at));
}

/** Whether it is one of its times. */
export const isTimeOf = (expression: string, zone: string, at: Date): boolean =>
  nextTimes(expression, zone, new Date(at.getTime() - 1), 1)[0]?.getTime() === at.getTime();
