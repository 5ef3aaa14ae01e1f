import { describe, expect, it } from 'vitest';
import type { Run } from '../../domain/run.ts';
import type { Page } from '../../web/http.ts';
import { layOver, replace } from '../../web/run-pages.ts';
import { newRun } from './new-run.ts';

const run = (minute: number, status: Run['status'] = 'completed'): Run => ({
  ...newRun(`r${minute}`, status),
  created_at: `2024-05-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
});
const page = (minutes: number[], next_cursor: string | null): Page<Run> => ({
  items: minutes.map((minute) => run(minute)),
  next_cursor,
});
const minutes = (pages: Page<Run>[] | null) => pages?.map(({ items }) => items.map(({ id }) => id));

describe('a fresh first page laid over a list', () => {
  it('brings new runs to the top and shows none twice', () => {
    const pages = [page([5, 4, 3], 'c3'), page([2, 1, 0], null)];
    expect(minutes(layOver(pages, page([6, 5, 4], 'c4')))).toEqual([['r6', 'r5', 'r4'], ['r3'], ['r2', 'r1', 'r0']]);
  });

  it('drops what no longer fits, and keeps what lies beyond it', () => {
    const pages = [page([5, 4, 3], 'c3'), page([2, 1], null)];
    expect(minutes(layOver(pages, page([5, 3, 2], 'c2')))).toEqual([['r5', 'r3', 'r2'], ['r1']]);
  });

  it('is the whole list where there is no further page', () => {
    expect(minutes(layOver([page([5, 4, 3], 'c3'), page([2], null)], page([5], null)))).toEqual([['r5']]);
  });

  it('asks for everything anew where it does not meet the list', () => {
    expect(layOver([page([2, 1], 'c1')], page([9, 8], 'c8'))).toBeNull();
  });
});

describe('a run that has changed', () => {
  it('is put where it stands, or taken out where it no longer fits', () => {
    const pages = [page([3, 2], 'c2'), page([1], null)];
    const failed = run(1, 'failed');
    expect(replace(pages, failed, true)[1]?.items[0]?.status).toBe('failed');
    expect(minutes(replace(pages, failed, false))).toEqual([['r3', 'r2'], []]);
  });
});
