import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endOrphans, recordStarted } from '../../engines/orphans.ts';
import { identify, type ProcessIdentity } from '../../engines/process-identity.ts';
import { temporaryFolder } from './temporary.ts';

const home = temporaryFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function start(mark: string): Promise<{ child: ChildProcess; identity: ProcessIdentity }> {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)', mark]);
  children.push(child);
  await once(child.stdout, 'data');
  const identity = identify(child.pid ?? 0);
  if (identity === null) throw new Error('did not start');
  return { child, identity };
}
const record = (name: string, mark: string, identity: ProcessIdentity) =>
  recordStarted(home, { name, mark, is_engine: true }, identity);

describe('what an earlier supervisor left behind', () => {
  it('is ended, and forgotten', async () => {
    const { child, identity } = await start(`${home}/data`);
    record('mongod', `${home}/data`, identity);
    const ended = once(child, 'exit');
    expect(await endOrphans(home)).toEqual(['mongod']);
    await ended;
    expect(await endOrphans(home)).toEqual([]);
  });

  it.each([
    ['another process that got its id', (identity: ProcessIdentity) => ({ ...identity, began: 'earlier' }), 'data'],
    ['a process with other arguments', (identity: ProcessIdentity) => identity, 'other'],
  ])('%s is left alone', async (_, altered, mark) => {
    const { child, identity } = await start(`${home}/data`);
    record('temporal', `${home}/${mark}`, altered(identity));
    expect(await endOrphans(home)).toEqual([]);
    expect(child.exitCode ?? child.signalCode).toBeNull();
  });
});
