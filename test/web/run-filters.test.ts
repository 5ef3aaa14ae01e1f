import { describe, expect, it } from 'vitest';
import { chosenColumns, fittingColumns, nextSort, toggleColumn } from '../../web/run-columns.ts';
import { filterCount, filterOf, fits, queryIn, withChanges } from '../../web/run-filters.ts';
import { newRun } from './new-run.ts';

const NOW = Date.parse('2024-05-10T12:34:56.000Z');
const asked = (address: string) => queryIn(new URLSearchParams(address));
const given = (address: string) =>
  Object.fromEntries(Object.entries(filterOf(asked(address), 'ws_1', NOW)).filter(([, value]) => value !== undefined));

describe('the address of a list of runs', () => {
  it('says all that is asked for', () => {
    const address =
      'status=failed,cancelled&agent=agt_1&trigger=delegation&caller=usr_1&since=24h&roots=1&sort=costliest';
    expect(given(address)).toEqual({
      workspace_id: 'ws_1',
      status: ['failed', 'cancelled'],
      agent_id: 'agt_1',
      trigger_type: 'delegation',
      caller_user_id: 'usr_1',
      from: '2024-05-09T12:34:00.000Z',
      root: true,
      sort: 'costliest',
    });
    expect(filterCount(asked(address))).toBe(6);
  });

  it('may say nothing: then everything of the workspace is meant, newest first', () => {
    expect(given('')).toEqual({ workspace_id: 'ws_1' });
    expect(filterCount(asked(''))).toBe(0);
  });

  it('is not taken at its word where it says what there is not', () => {
    expect(given('status=lost&trigger=magic&since=9y&from=yesterday&to=2024-13-40&roots=yes&sort=best')).toEqual({
      workspace_id: 'ws_1',
    });
  });

  it('names days as one lives them: both are meant whole', () => {
    const { from, to } = given('from=2024-05-01&to=2024-05-02');
    expect(new Date(from as string)).toEqual(new Date(2024, 4, 1));
    expect(new Date(to as string)).toEqual(new Date(new Date(2024, 4, 3).getTime() - 1));
  });

  it('reaches all workspaces where it says so', () => {
    expect(given('workspace=all')).toEqual({});
  });

  it('keeps what is not changed, and loses what is taken out', () => {
    const before = new URLSearchParams('status=failed&agent=agt_1');
    expect(withChanges(before, { agent: '', sort: 'oldest' }).toString()).toBe('status=failed&sort=oldest');
  });
});

describe('a run that has changed', () => {
  const run = newRun('run_1', 'failed');
  it.each([
    ['stays where it is still asked for', 'status=failed&trigger=chat&caller=u', true],
    ['leaves with its status', 'status=running', false],
    ['of another agent is none of these', 'agent=agt_9', false],
    ['from before that time is none of these', 'since=1h', false],
  ])('%s', (_, address, stays) => {
    expect(fits(run, filterOf(asked(address), 'w', NOW))).toBe(stays);
  });

  it('made by another run is no root', () => {
    const child = { ...run, root_run_id: 'run_0', parent_run_id: 'run_0', relation: 'delegation' as const };
    const roots = filterOf(asked('roots=1'), 'w', NOW);
    expect([fits(run, roots), fits(child, roots)]).toEqual([true, false]);
  });
});

describe('the columns', () => {
  const names = (columns: { id: string }[]) => columns.map(({ id }) => id);

  it('are the usual ones until somebody chooses, and stay in their order', () => {
    const without = toggleColumn(null, 'caller');
    expect(names(chosenColumns(without))).not.toContain('caller');
    expect(names(chosenColumns(toggleColumn(without, 'caller')))).toEqual(names(chosenColumns(null)));
  });

  it('give way to the task where there is little room, the least worth first', () => {
    const all = chosenColumns(null);
    expect(fittingColumns(all, 200, false)).toEqual(all);
    const few = names(fittingColumns(all, 60, false));
    expect(few).toContain('status');
    expect(few).not.toContain('trigger');
    expect(fittingColumns(all, 71, true)).toEqual(all);
    expect(names(fittingColumns(all, 71, false))).toEqual(names(all.filter(({ id }) => id !== 'trigger')));
    expect(fittingColumns(all, 5, false)).toHaveLength(1);
  });

  it('sort by a click, and by a second one the other way', () => {
    const column = (id: string) => chosenColumns(null).filter((each) => each.id === id)[0] ?? chosenColumns('cost')[0];
    const clicks = (id: string, ...sorts: Parameters<typeof nextSort>[1][]) =>
      sorts.map((sort) => {
        const found = column(id);
        return found && nextSort(found, sort);
      });
    expect(clicks('cost', 'newest', 'costliest')).toEqual(['costliest', 'cheapest']);
    expect(clicks('agent', 'newest', 'agent', 'agent_desc')).toEqual(['agent', 'agent_desc', 'agent']);
    expect(clicks('started', 'costliest', 'newest', 'oldest')).toEqual(['newest', 'oldest', 'newest']);
  });
});
