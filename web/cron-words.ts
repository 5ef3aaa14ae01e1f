import cronstrue from 'cronstrue';
import { cronProblem, nextTimes, takesEitherDay, zoneProblem } from '../domain/cron.ts';

/** “At 09:00, Monday through Friday”; what is wrong with it where it is none. */
export function cronWords(expression: string): { words: string } | { problem: string } {
  const problem = cronProblem(expression);
  if (problem !== null) return { problem };
  const logicalAndDayFields = !takesEitherDay(expression);
  return { words: cronstrue.toString(expression, { use24HourTimeFormat: true, verbose: false, logicalAndDayFields }) };
}

export const zoneOfBrowser = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** As a clock in the zone shows it, with the day. */
export const inZone = (at: Date, zone: string): string =>
  at.toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });

/** Nothing while what is typed says nothing yet. */
export function comingTimes(expression: string, zone: string, count: number, now = new Date()): Date[] {
  if (cronProblem(expression) !== null || zoneProblem(zone) !== null) return [];
  return nextTimes(expression, zone, now, count);
}
