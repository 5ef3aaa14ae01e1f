import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as audit from '../../store/audit.ts';
import { claimPosition, keepPosition, leavePosition } from '../../store/audit-position.ts';
import { disconnectStore } from '../../store/connection.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { auditLine } from '../audit-line.ts';
import { at, textOf } from '../docs/documents.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

const { addAuditLines, listAudit } = audit;

describe('[2] the audit log', () => {
  it('has functions to add and to read, and none to change or remove', () => {
    expect(Object.keys(audit).sort()).toEqual(['addAuditLines', 'everyAuditLine', 'listAudit']);
    const others = readdirSync(at('store')).filter((name) => textOf(`store/${name}`).includes("'audit'"));
    expect(others).toEqual(['audit.ts']);
    expect(textOf('store/audit.ts')).not.toMatch(/\.(update|delete|replace(One|With)|findOneAnd|bulkWrite|drop)\w*\(/);
  });

  it('keeps a line as it was first written, whatever comes under its id later', async () => {
    const owner = await newOwner();
    const line = auditLine({ workspace_id: null, output: 'first' });
    const add = (...outputs: string[]) =>
      addAuditLines(
        outputs.map((output) => ({ org_id: owner.org_id, caller_user_id: null, line: { ...line, output } })),
      );
    await add('first');
    await add('second', 'third');
    const { items } = await listAudit(owner, {}, { limit: 10 });
    expect(items.map(({ output }) => output)).toEqual(['first']);
  });

  it('adds the new ones of a batch of which some are there already', async () => {
    const owner = await newOwner();
    const batch = [1, 2, 3].map((n) => ({
      org_id: owner.org_id,
      caller_user_id: null,
      line: auditLine({ workspace_id: null, id: `batch:${n}` }),
    }));
    await addAuditLines(batch.slice(1, 2));
    await addAuditLines(batch);
    expect((await listAudit(owner, {}, { limit: 10 })).items).toHaveLength(3);
  });

  it('is filtered by action or family, by outcome, by person and by time', async () => {
    const owner = await newOwner();
    const { id: workspace_id } = await createWorkspace(owner, { id: `ws_${owner.user_id.slice(4)}`, name: 'Home' });
    const lines = [
      auditLine({ workspace_id, action: 'tool.read_file', created_at: '2026-01-01T00:00:00.000Z' }),
      auditLine({
        workspace_id,
        action: 'tool.write_file',
        was_allowed: false,
        created_at: '2026-01-02T00:00:00.000Z',
      }),
      auditLine({ workspace_id, action: 'toolbox.open', user_id: 'usr_2', created_at: '2026-01-03T00:00:00.000Z' }),
    ];
    await addAuditLines(lines.map((line) => ({ org_id: owner.org_id, caller_user_id: 'usr_1', line })));
    const found = async (filter: audit.AuditFilter) =>
      (await listAudit(owner, { workspace_id, ...filter }, { limit: 10 })).items.map(({ action }) => action);
    expect(await found({})).toEqual(['toolbox.open', 'tool.write_file', 'tool.read_file']);
    expect(await found({ action: 'tool' })).toEqual(['tool.write_file', 'tool.read_file']);
    expect(await found({ action: 'tool.read_file' })).toEqual(['tool.read_file']);
    expect(await found({ action: 'tool.*' })).toEqual([]);
    expect(await found({ was_allowed: false })).toEqual(['tool.write_file']);
    expect(await found({ user_id: 'usr_2' })).toEqual(['toolbox.open']);
    expect(await found({ from: new Date('2026-01-02'), to: new Date('2026-01-03') })).toEqual(['tool.write_file']);
  });
});

describe('[13] the right to follow the logs', () => {
  it('is one process’s at a time, for as long as it renews it', async () => {
    const claims = await Promise.all(['a', 'b', 'c'].map((holder) => claimPosition(holder, 60_000)));
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    const holder = ['a', 'b', 'c'][claims.findIndex((claim) => claim !== null)] ?? '';
    expect(await claimPosition('late', 60_000)).toBeNull();
    const upto = new Date('2026-01-01');
    expect(await keepPosition(holder, { token: { _data: 'place' }, upto }, 0)).toBe(true);
    // It was not renewed: the next one goes on where it stopped, and the first can no longer say how far it is.
    expect(await claimPosition('late', 60_000)).toEqual({ token: { _data: 'place' }, upto });
    expect(await keepPosition(holder, { token: null, upto: null }, 60_000)).toBe(false);
    await leavePosition('late');
    expect(await claimPosition('last', 60_000)).toEqual({ token: { _data: 'place' }, upto });
  });
});
