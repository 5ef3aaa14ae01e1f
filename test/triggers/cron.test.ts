import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Cron } from 'croner';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cronParts, cronProblem, isTimeOf, nextTimes, zoneName, zoneProblem } from '../../domain/cron.ts';
import { cronWords } from '../../web/cron-words.ts';

let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('TEMPORAL_ADDRESS') });
  client = new Client({ connection });
});
afterAll(() => connection.close());

const iso = (times: Date[]) => times.map((time) => time.toISOString());

/** Temporal's own next times of a schedule that begins then. */
async function firingTimes(cron: string, zone: string, from: string): Promise<string[]> {
  const scheduleId = `cron-${randomBytes(6).toString('hex')}`;
  const handle = await client.schedule.create({
    scheduleId,
    spec: { cronExpressions: cronParts(cron), timezone: zoneName(zone), startAt: new Date(from) },
    action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
    state: { paused: true },
  });
  try {
    return iso((await handle.describe()).info.nextActionTimes).slice(0, 5);
  } finally {
    await handle.delete();
  }
}

describe('[8] the next times of a schedule are those at which Temporal fires', () => {
  it.each([
    ['a plain day', '0 9 * * *', 'Europe/Berlin', '2027-01-01T00:00:00Z'],
    ['nine in the morning over the change to summer', '0 9 * * *', 'Europe/Berlin', '2027-03-26T12:00:00Z'],
    ['an hour that is left out', '30 2 * * *', 'Europe/Berlin', '2027-03-26T12:00:00Z'],
    ['an hour that comes twice', '30 2 * * *', 'Europe/Berlin', '2027-10-29T12:00:00Z'],
    ['every quarter of the hour that is left out', '*/15 * * * *', 'Europe/Berlin', '2027-03-28T00:40:00Z'],
    ['every half hour while the clock is put back', '*/30 * * * *', 'America/New_York', '2027-11-07T05:10:00Z'],
    ['the change in New York', '0 9 * * MON-FRI', 'America/New_York', '2027-03-12T00:00:00Z'],
    ['an hour that is left out in New York', '15 2 * * *', 'America/New_York', '2027-03-13T00:00:00Z'],
    ['an hour that comes twice in New York', '30 1 * * *', 'America/New_York', '2027-11-06T00:00:00Z'],
    ['the change in New York, as UTC has it', '0 9 * * *', 'UTC', '2027-03-12T00:00:00Z'],
    ['half an hour on Lord Howe Island', '45 1 * * *', 'Australia/Lord_Howe', '2027-04-02T00:00:00Z'],
    ['either of the two kinds of days', '0 9 13 * FRI', 'UTC', '2027-01-01T12:00:00Z'],
    ['a day in steps that is also a Monday', '0 9 */2 * MON', 'UTC', '2027-01-01T12:00:00Z'],
    ['the first of a month on every other weekday', '0 9 1 * */2', 'UTC', '2027-01-01T12:00:00Z'],
    ['all days of the week, Sunday twice', '0 9 * * 0-7', 'UTC', '2027-01-01T12:00:00Z'],
    ['days of the week over Sunday', '0 9 * * SUN-TUE', 'UTC', '2027-01-01T12:00:00Z'],
    ['a zone in small letters', '0 9 * * *', 'europe/berlin', '2027-01-01T12:00:00Z'],
    ['a zone by a name of its own', '0 9 * * *', 'US/Eastern', '2027-01-01T12:00:00Z'],
    ['Sunday as 7', '0 9 * * 7', 'UTC', '2027-01-01T12:00:00Z'],
    ['a short name', '@weekly', 'Asia/Kolkata', '2027-01-01T12:00:00Z'],
  ])('%s: %s in %s', async (_what, cron, zone, from) => {
    const fired = await firingTimes(cron, zone, from);
    expect(iso(nextTimes(cron, zone, new Date(new Date(from).getTime() - 1), 5))).toEqual(fired);
    expect(isTimeOf(cron, zone, new Date(fired[0] ?? ''))).toBe(true);
    expect(isTimeOf(cron, zone, new Date(new Date(fired[0] ?? '').getTime() + 60_000 * 7))).toBe(false);
  });

  it.each([
    ['0 9 * * *', 'Europe/Berlin', '2027-03-20T00:00:00Z'],
    ['15 14 1 * *', 'America/New_York', '2027-01-01T00:00:00Z'],
    ['0 */6 * * *', 'Australia/Sydney', '2027-06-01T00:00:00Z'],
    ['0 12 13 * 5', 'Europe/Berlin', '2027-01-01T00:00:00Z'],
    ['5,35 8-10 * JAN-MAR MON', 'America/New_York', '2027-01-01T00:00:00Z'],
  ])('where no clock is changed they are those of croner, too: %s in %s', (cron, zone, from) => {
    const other = new Cron(cron, { timezone: zone, paused: true }).nextRuns(20, new Date(from));
    expect(iso(nextTimes(cron, zone, new Date(from), 20))).toEqual(iso(other));
  });
});

it.each([
  '',
  '* * * *',
  '0 0 9 * * *',
  '60 * * * *',
  '0 9 L * *',
  '0 9 * * 5#2',
  '0 9 ? * MON',
  '0 9 31 2 *',
  '@reboot',
  '0 9 * FOO *',
])('what is no cron is refused in words: “%s”', (cron) => expect(cronProblem(cron)).toEqual(expect.any(String)));
it.each(['0 9 * * *', '*/5 8-18 * * MON-FRI', '0 0 1,15 * *', '@daily'])('what is one is not: “%s”', (cron) =>
  expect(cronProblem(cron)).toBeNull(),
);
it('the words say whether both kinds of days must fit, or either of them', () => {
  expect(cronWords('0 9 13 * FRI')).toEqual({ words: 'At 09:00, on day 13 of the month, and on Friday' });
  expect(cronWords('0 9 */2 * MON')).toEqual({ words: 'At 09:00, every 2 days in a month, only on Monday' });
});
it('zones go by their names', () => {
  expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].map(zoneProblem)).toEqual([
    null,
    null,
    null,
    null,
  ]);
  for (const zone of ['+02:00', 'Berlin', 'Mars/Olympus', '', 'Europe/Berlin; x'])
    expect(zoneProblem(zone)).not.toBeNull();
});
