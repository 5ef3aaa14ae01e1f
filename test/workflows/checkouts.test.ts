import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SessionCommands } from '../../api/session-commands.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { queueOf } from '../../domain/checkout.ts';
import type { Run } from '../../domain/run.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { CheckoutRepository } from '../../files/checkout-repository.ts';
import { launch } from '../../files/launcher.ts';
import { createAgent } from '../../store/agents.ts';
import { loadLease } from '../../store/checkout-leases.ts';
import { loadSnapshot } from '../../store/checkout-snapshots.ts';
import { beatExecutor, removeExecutor } from '../../store/executors.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import type { Script } from '../doubles/scripted-model.ts';
import { gitNotebook, newRemote, type TestRemote } from '../git-notebook.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';
import { agent, tool, workflowsOf } from './defined.ts';

let system: System;
let remote: TestRemote;
let notebook: Notebook;
beforeAll(async () => {
  [system, remote] = await Promise.all([
    startSystem({ executors: 2, snapshotLimits: { depth: 2, packed: 20_000 } }),
    newRemote(),
  ]);
  notebook = await gitNotebook(system, remote.url);
});
afterAll(async () => {
  await system.stop();
  await remote.remove();
});

const write = (path: string, content: string) => ({
  tool_calls: [{ name: 'write_file', arguments: { path, content } }],
});
const read = (path: string) => ({ tool_calls: [{ name: 'read_file', arguments: { path } }] });
const start = (script: string, more: object = {}) => system.start(script, { notebook_id: notebook.id, ...more });
const facts = async (id: string) => (await entriesAfter(id, 0)).flatMap((entry) => entry.facts);
const results = async (id: string) =>
  (await facts(id)).flatMap((fact) => (fact.kind === 'tool_finished' ? [fact] : []));
const readies = async (id: string) =>
  (await facts(id)).flatMap((fact) => (fact.kind === 'checkout_ready' ? [fact] : []));
const checkouts = async () => {
  const places = await readdir(join(system.home, 'executors'));
  return (await Promise.all(places.map((name) => readdir(join(system.home, 'executors', name))))).flat();
};
const leaseOf = (id: string) => loadLease(`${id}:${notebook.id}`);

/** Of the executor that has the run now, everything it has on disk. */
async function removeFiles(run: Run): Promise<void> {
  const place = (run.checkout?.executor ?? '').replaceAll(':', '@');
  await rm(join(system.home, 'executors', place), { recursive: true });
}

describe('[6] a run on a git notebook', () => {
  it('works in a checkout of its own, asks nobody, leaves the remote alone and nothing behind', async () => {
    system.model.script('edit', [write('/notes.md', 'changed\n'), read('/notes.md'), { text: 'Done.' }]);
    const before = remote.git(remote.bare, 'for-each-ref');
    const run = await system.ended(await start('edit'));
    expect(run).toMatchObject({ status: 'completed', output: 'Done.', budget_max_iterations: 24 });
    expect(run.checkout).toEqual({
      state: 'released',
      branch: `longhaul/${run.id}`,
      base_commit: remote.git(remote.bare, 'rev-parse', 'main'),
      executor: expect.stringContaining(':'),
      epoch: 1,
    });
    expect((await results(run.id)).map(({ ok, result }) => [ok, JSON.stringify(result)])).toEqual([
      [true, expect.stringContaining('"written":true')],
      [true, expect.stringContaining('changed')],
    ]);
    expect(remote.git(remote.bare, 'for-each-ref')).toBe(before);
    await expect.poll(checkouts).toEqual([]);
    await expect.poll(async () => (await leaseOf(run.id))?.released_at).toBeInstanceOf(Date);
  });

  it('begins with what was pushed a moment ago, and keeps what it began with', async () => {
    const commit = await remote.commit({ 'late.md': 'late\n' });
    system.model.script('late', [read('/late.md'), { text: 'Done.' }]);
    const run = await system.ended(await start('late'));
    expect([run.status, run.checkout?.base_commit]).toEqual(['completed', commit]);
    expect((await results(run.id))[0]).toMatchObject({ ok: true });
  });

  it('several at once have nothing to do with each other', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `several-${index}`);
    for (const name of names) {
      system.model.script(name, [write('/own.md', `${name}\n`), read('/own.md'), { text: 'Done.' }]);
    }
    const ids = await Promise.all(names.map((name) => start(name)));
    const seen = await Promise.all(
      ids.map(async (id) => {
        const { status, checkout } = await system.ended(id);
        const [, own] = await results(id);
        return { status, branch: checkout?.branch, text: JSON.stringify(own?.result).includes('several-') };
      }),
    );
    expect(seen).toEqual(ids.map((id) => ({ status: 'completed', branch: `longhaul/${id}`, text: true })));
  });

  it('goes on where the process that starts git is killed under it: nothing is bought or done again', async () => {
    system.model.script('no-git', [write('/own.md', 'once\n'), read('/own.md'), { text: 'Done.' }]);
    const { take } = CheckoutRepository.prototype;
    const options = { input: undefined, timeoutMs: 60_000, signal: undefined, maxBytes: 100 };
    const shown = await launch({ program: 'sh', args: ['-c', 'echo $PPID'], cwd: undefined, env: {} }, options);
    const lost: unknown[] = [];
    vi.spyOn(CheckoutRepository.prototype, 'take').mockImplementationOnce(function (this: CheckoutRepository, ...args) {
      const taken = take.apply(this, args);
      taken.catch((error: unknown) => lost.push(error));
      process.kill(Number('stdout' in shown && shown.stdout), 'SIGKILL');
      return taken;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const run = await system.ended(await start('no-git'));
    expect(lost).toEqual([expect.objectContaining({ name: 'GitLost' })]);
    expect(run).toMatchObject({ status: 'completed', output: 'Done.', iterations_used: 3 });
    expect((await results(run.id)).map(({ ok }) => ok)).toEqual([true, true]);
    system.model.assertDone('no-git');
  });

  it('whose remote cannot be reached fails with what to do, and can be resumed', async () => {
    const gone = await gitNotebook(system, `${remote.url}-gone`);
    const run = await system.ended(await start('nothing', { notebook_id: gone.id }));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'git_unreachable', retryable: true } });
  });
});

describe('[6] an executor that is asked to go', () => {
  it('hands its runs over at their next step, with all files as they are', async () => {
    system.model.script('drain', [
      write('/a.md', 'first\n'),
      write('/b.md', 'second\n'),
      read('/a.md'),
      { text: 'Done.' },
    ]);
    const release = system.model.hold('drain', 1);
    const id = await start('drain');
    await system.model.reached('drain', 1);
    const [ready] = await readies(id);
    const leaving = system.executors.find((executor) => executor.id === ready?.executor);
    const gone = leaving?.drain();
    release();
    await gone;
    system.executors.splice(system.executors.indexOf(leaving as never), 1);
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', checkout: { epoch: 2 } });
    expect((await readies(id)).map(({ epoch, restored }) => [epoch, restored])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect((await results(id)).map(({ ok }) => ok)).toEqual([true, true, true]);
    await system.startExecutor();
  });
});

describe('[6] an executor that says it lives and takes no work', () => {
  it('is given up after a while, and its run goes on at another', async () => {
    const _id = 'here:silent';
    const about = { queue: queueOf(_id), host: 'elsewhere', identity: '', draining: false, started_at: new Date() };
    // Those that live have more to do, so that this one is asked first.
    system.model.script('busy', [read('/notes.md'), { text: 'Done.' }]);
    const release = system.model.hold('busy', 1);
    const busy: string[] = [];
    // One after the other: two at once could both be given to the same.
    for (const _ of system.executors) {
      const one = await start('busy');
      await system.until(one, (run) => run.checkout?.state === 'ready');
      busy.push(one);
    }
    await system.model.reached('busy', 1);
    await beatExecutor({ _id, ...about });
    system.model.script('silent', [write('/s.md', 'x\n'), { text: 'Done.' }]);
    const id = await system.start('silent', { notebook_id: notebook.id }, { heartbeatMs: 1_000 });
    await expect.poll(async () => (await leaseOf(id))?.executor_id).toBe(_id);
    const run = await system.ended(id);
    expect([run.status, run.checkout?.executor === _id]).toEqual(['completed', false]);
    expect(run.checkout?.epoch).toBeGreaterThan(1);
    await removeExecutor(_id);
    release();
    await Promise.all(busy.map((each) => system.ended(each)));
  });
});

describe('[6] a checkout that is taken away under a run', () => {
  it('is there again as of the last completed step, and what was under way is done in it', async () => {
    system.model.script('removed', [
      write('/a.md', 'first\n'),
      write('/b.md', 'second\n'),
      read('/a.md'),
      { text: 'Done.' },
    ]);
    const release = system.model.hold('removed', 1);
    const id = await start('removed');
    await system.model.reached('removed', 1);
    await removeFiles(await system.until(id, ({ checkout }) => checkout?.state === 'ready'));
    release();
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', checkout: { epoch: 2 } });
    expect((await results(id)).map(({ name, ok }) => [name, ok])).toEqual([
      ['write_file', true],
      ['write_file', true],
      ['read_file', true],
    ]);
  });
});

describe('[6] what is more than can be kept of a step', () => {
  it('fails the call and is taken back; much in small steps is kept', async () => {
    const text = (bytes: number) => randomBytes(bytes).toString('base64');
    const small = Array.from({ length: 5 }, (_, n) => [`/part-${n}.txt`, text(6_000)] as const);
    system.model.script('large', [
      write('/before.md', 'before\n'),
      write('/large.txt', text(40_000)),
      { tool_calls: ['/before.md', '/large.txt'].map((path) => ({ name: 'read_file', arguments: { path } })) },
      { tool_calls: small.map(([path, content]) => ({ name: 'write_file', arguments: { path, content } })) },
      { text: 'Done.' },
    ]);
    const run = await system.ended(await start('large'));
    expect(run).toMatchObject({ status: 'completed', output: 'Done.', checkout: { epoch: 2 } });
    expect((await results(run.id)).map(({ target, error }) => [target, error?.code ?? 'ok'])).toEqual([
      ['/before.md', 'ok'],
      ['/large.txt', 'files_too_large'],
      ['/before.md', 'ok'],
      ['/large.txt', 'no_such_file'],
      ...small.map(([path]) => [path, 'ok']),
    ]);
    const kept = (await facts(run.id)).flatMap((fact) => (fact.kind === 'files_kept' ? [fact.snapshot] : []));
    // Together they are too much to stand on the base alone.
    expect((await loadSnapshot(kept.at(-1) ?? ''))?.depth).toBeGreaterThan(2);
  });
});

describe('[15.6] a run that goes on from another on a git notebook', () => {
  it('forked at a step has the files of that step, on a branch of its own', async () => {
    system.model.script('origin', [write('/f.md', 'one\n'), write('/f.md', 'two\n'), { text: 'Done.' }]);
    const parent = await system.ended(await start('origin'));
    const look = [read('/f.md'), { text: 'Looked.' }];
    const seenAt = async (step: number, script: string, positions: Script) => {
      system.model.script(script, positions);
      const body = { step, input: `[script:${script}] Do it.` };
      const run = await system.ended((await system.commands.fork(system.caller, parent.id, body, newId))._id);
      expect(run).toMatchObject({ status: 'completed', checkout: { branch: `longhaul/${run.id}` } });
      const [found] = await results(run.id);
      return found?.ok ? JSON.stringify(found.result) : found?.error?.code;
    };
    // Its steps: answer, call and result of the first write, then the same of the second.
    const said = { text: 'was said by the other' };
    expect(await seenAt(3, 'fork-3', [said, ...look])).toContain('one');
    expect(await seenAt(6, 'fork-6', [said, said, ...look])).toContain('two');
    expect(await seenAt(0, 'fork-0', look)).toBe('no_such_file');
  });

  it('in a session has the files of the run before, on the same branch', async () => {
    const sessions = new SessionCommands(system.commands);
    const body = { notebook_id: notebook.id, context_rows: [] };
    const { _id: session } = await sessions.create(system.caller, system.agent.id, body, newId);
    const say = async (content: string) => system.ended(await sessions.message(system.caller, session, content, newId));
    const first = { text: 'Written.' };
    system.model.script('talk', [write('/talk.md', 'said\n'), first, read('/talk.md'), { text: 'Read.' }]);
    const [one, two] = [await say('[script:talk] Write.'), await say('Read it.')];
    expect(two).toMatchObject({ status: 'completed', output: 'Read.', checkout: { branch: one.checkout?.branch } });
    expect((await results(two.id))[0]).toMatchObject({ ok: true });
  });

  it('after a failure has what was done until then, on the same branch', async () => {
    system.model.script('breaks', [write('/r.md', 'kept\n'), { fault: '401', message: 'no' }]);
    const failed = await system.ended(await start('breaks'));
    expect(failed.status).toBe('failed');
    system.model.script('breaks', [write('/r.md', 'never'), read('/r.md'), { text: 'Resumed.' }]);
    const { _id } = await system.commands.resume(system.caller, failed.id, {}, newId);
    const run = await system.ended(_id);
    expect(run).toMatchObject({ status: 'completed', checkout: { branch: failed.checkout?.branch } });
    expect(JSON.stringify((await results(_id))[0]?.result)).toContain('kept');
  });

  it('below another works on the same files, and the one above has what it did', async () => {
    const agent = (name: string, more: object) =>
      createAgent(system.caller, {
        ...createAgentBody.parse({ ...AGENT, ...more, name, workspace_id: system.workspace.id }),
        id: newId('agt'),
      });
    const helper = await agent('Helper', { slug: 'helper' });
    const lead = await agent('Lead', { delegated_agents: [{ agent_id: helper.id }] });
    const hand = { name: 'delegate_to_helper', arguments: { task: '[script:below] Do it.' } };
    system.model.script('below', [read('/up.md'), write('/down.md', 'below\n'), { text: 'Done below.' }]);
    system.model.script('above', [
      write('/up.md', 'above\n'),
      { tool_calls: [hand] },
      read('/down.md'),
      { text: 'Done.' },
    ]);
    const run = await system.ended(await start('above', { agent_id: lead.id }));
    expect(run.status).toBe('completed');
    expect((await results(run.id)).map(({ ok }) => ok)).toEqual([true, true]);
    // What the child kept is the last thing its parent has kept, too: whoever takes over from here has it.
    const kept = (await facts(run.id)).flatMap((fact) => (fact.kind === 'files_kept' ? [fact.snapshot] : []));
    expect((await loadSnapshot(kept.at(-1) ?? ''))?.run_id).not.toBe(run.id);
  });
});

describe('[7] a workflow on a git notebook', () => {
  it('works in one checkout with the agents of its steps, and asks nobody for what stays in there', async () => {
    const flows = workflowsOf(system);
    system.model.script('first', [write('/a.md', 'a\n'), { text: 'Wrote it.' }]);
    system.model.script('last', [read('/b.md'), { text: 'Read it.' }]);
    const workflow = await flows.define([
      agent('one', 'first'),
      tool('two', 'read_file', { path: '/a.md' }),
      tool('three', 'write_file', { path: '/b.md', content: 'b' }),
      agent('four', 'last'),
    ]);
    const run = await system.ended(await flows.start(workflow, {}, { notebook_id: notebook.id }));
    expect(run).toMatchObject({ status: 'completed', checkout: { state: 'released' } });
    const steps = await flows.stepsOf(run.id);
    expect(steps.two?.output).toMatchObject({ content: 'a\n' });
    const [seen] = await results(steps.four?.child_run_id ?? '');
    expect(JSON.stringify(seen)).toContain('b');
    await expect.poll(checkouts).toEqual([]);
  });

  it('is resumed with the files as they were when its step failed', async () => {
    const flows = workflowsOf(system);
    system.model.script('keeps', [write('/kept.md', 'kept'), { text: 'Wrote it.' }]);
    const workflow = await flows.define([
      agent('one', 'keeps'),
      tool('two', 'read_file', { path: '{{ input.path }}' }),
    ]);
    const failed = await system.ended(await flows.start(workflow, { path: '/no.md' }, { notebook_id: notebook.id }));
    expect(failed).toMatchObject({ status: 'failed', error: { details: { step: 'two' } } });
    const wanted = { from_step: 'two', override_input: { path: '/kept.md' } };
    const { _id } = await system.commands.resume(system.caller, failed.id, wanted, newId);
    expect((await system.ended(_id)).status).toBe('completed');
    expect((await flows.stepsOf(_id)).two?.output).toMatchObject({ content: 'kept' });
  });
});
