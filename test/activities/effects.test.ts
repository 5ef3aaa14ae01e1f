import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentSecrets } from '../../activities/agent-secrets.ts';
import { CallerRoles } from '../../activities/caller-roles.ts';
import { KnownSecrets } from '../../activities/known-secrets.ts';
import { createProviders } from '../../activities/models/index.ts';
import { rulesOf, type Segment, toolboxOf, toolContext } from '../../activities/segment.ts';
import { askPeople } from '../../activities/steps/ask-people.ts';
import { runTools } from '../../activities/steps/run-tools.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Caller } from '../../domain/identity.ts';
import type { FileIntent } from '../../domain/intents.ts';
import type { Token } from '../../domain/log-entry.ts';
import type { ToolCall } from '../../domain/model.ts';
import { nextMove } from '../../domain/turn.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { Snapshots } from '../../files/snapshots.ts';
import { disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { changeRole, removeMember } from '../../store/memberships.ts';
import { insertRun } from '../../store/runs.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { agentWith, answered, begun, called, decided, message, revised, tool } from '../domain/told.ts';
import { ownStore } from '../own-store.ts';
import { newMember, newOwner } from '../people.ts';
import { draft } from '../recorded-run.ts';

let caller: Caller;
const write = tool('w', 'write_file', { path: '/a.md', content: 'new\n' });
// No model is called here.
const nobody = createProviders({ openai_api_key: 'none', openai_base_url: 'http://127.0.0.1:1' });
const at = (scheduled: number): Token => ({ scheduled, attempt: 1 });

let root: string;
let files: NotebookFiles;
beforeAll(async () => {
  await ownStore();
  caller = await newOwner('Ana');
});
afterAll(disconnectStore);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-effects-'));
  await writeFile(join(root, 'a.md'), 'old\n');
  files = await NotebookFiles.at(root);
  return () => Promise.all([root, `${root}-snapshots`].map((dir) => rm(dir, { recursive: true, force: true })));
});

/** A run whose model has just asked for these calls, in the hands of one attempt. */
async function asking(
  calls: ToolCall[],
  more: Partial<Agent> = {},
  by = caller,
  kind: 'folder' | 'git' = 'folder',
): Promise<Segment> {
  const agent = agentWith({ can_write: true, can_create: true, confirmation: { write_file: 'never' }, ...more });
  const run = await insertRun(by, draft(newId('run'), agent, { notebook: { id: 'nb_1', kind }, input: 'Go.' }));
  const log = await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id }, at(1));
  await log.append(() => [...begun, called(1), answered(1, { calls })]);
  return segmentOf(run, log);
}

function segmentOf(run: Segment['run'], log: RunLog, signal = new AbortController().signal): Segment {
  const box = toolboxOf(run, {});
  return {
    run,
    agent: run.agent,
    log,
    rules: rulesOf(run, box, null),
    toolbox: box,
    checkout: null,
    tools: Promise.resolve(toolContext(run, files, signal)),
    providerFor: nobody,
    callers: new CallerRoles(),
    secrets: new AgentSecrets(new KnownSecrets([]), ['a secret key for tests only'], run, run.created_at),
    shares: false,
    snapshots: new Snapshots(`${root}-snapshots`),
    signal,
    idleMs: 1_000,
    rateWindowMs: 3_600_000,
    show: () => undefined,
    logger: pino({ level: 'silent' }),
  };
}

/** The same run in the hands of the attempt after this one. */
async function successorOf({ run, log }: Segment): Promise<Segment> {
  return segmentOf(run, await RunLog.open(log.owner, at(2)));
}

/** Does what is due now. */
async function goOn(segment: Segment): Promise<void> {
  const move = nextMove(segment.log.state, segment.rules, Date.now());
  if (move.do === 'tools') await runTools(segment, move.turn, move.calls);
  else if (move.do === 'ask') await askPeople(segment, move.turn, move.calls);
  else throw new Error(`nothing to do with tools: ${move.do}`);
  await segment.log.flush();
}

const told = async ({ log }: Segment): Promise<Fact[]> =>
  (await entriesAfter(log.owner.run_id, 0)).flatMap((entry) => entry.facts);
const results = async (segment: Segment) =>
  (await told(segment)).flatMap((fact) => (fact.kind === 'tool_finished' ? [fact] : []));
const content = (name = 'a.md') => readFile(join(root, name), 'utf8');

describe('[13] a change of a file', () => {
  it('is said before it is done, and leaves nothing behind', async () => {
    const segment = await asking([write]);
    await goOn(segment);
    const kinds = (await told(segment)).slice(-4).map(({ kind }) => kind);
    expect(kinds).toEqual(['files_kept', 'tool_started', 'tool_finished', 'files_kept']);
    expect([await content(), await readdir(root)]).toEqual(['new\n', ['a.md']]);
    expect(await results(segment)).toMatchObject([{ ok: true, result: { path: '/a.md', written: true } }]);
  });

  /** As a crash leaves it between the two appends, before or after the rename. */
  async function interrupted(): Promise<{ segment: Segment; intent: FileIntent }> {
    const segment = await asking([write]);
    const intent: FileIntent = { effect: 'rename', ...(await files.stage('/a.md', 'new\n', 'key')) };
    await segment.log.append(() => [{ kind: 'tool_started', turn: 1, call_id: 'w', intent }]);
    return { segment: await successorOf(segment), intent };
  }

  it('that was cut off before it happened happens now', async () => {
    const { segment } = await interrupted();
    await goOn(segment);
    expect([await content(), await readdir(root)]).toEqual(['new\n', ['a.md']]);
    expect(await results(segment)).toMatchObject([{ ok: true }]);
  });

  it('that was cut off after it happened does not happen again', async () => {
    const { segment, intent } = await interrupted();
    await files.land(intent.staged, intent.target);
    const { ino, mtimeMs } = await stat(join(root, 'a.md'));
    await goOn(segment);
    expect(await stat(join(root, 'a.md'))).toMatchObject({ ino, mtimeMs });
    expect(await results(segment)).toMatchObject([{ ok: true }]);
  });

  it('that was cut off after it happened leaves alone what somebody wrote since, and says it does not know', async () => {
    const { segment, intent } = await interrupted();
    await files.land(intent.staged, intent.target);
    await writeFile(join(root, 'a.md'), 'by a person\n');
    await goOn(segment);
    expect(await content()).toBe('by a person\n');
    expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'interrupted' } }]);
  });

  it('whose staged file is lost is not told as done', async () => {
    const { segment, intent } = await interrupted();
    await unlink(join(root, intent.staged));
    await goOn(segment);
    expect(await content()).toBe('old\n');
    expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'interrupted' } }]);
  });

  it('counts every time it is begun, so that one that takes its worker down is given up', async () => {
    const { segment } = await interrupted();
    await goOn(segment);
    const kinds = (await told(segment)).slice(-4).map(({ kind }) => kind);
    expect(kinds).toEqual(['tool_started', 'tool_started', 'tool_finished', 'files_kept']);
  });

  it('wanted by an attempt that was overtaken happens neither to the file nor to the log', async () => {
    const zombie = await asking([write]);
    const successor = await successorOf(zombie);
    await successor.log.append(() => [message('I am here now')]);
    const before = await told(zombie);
    await expect(goOn(zombie)).rejects.toMatchObject({ name: 'StaleAttempt' });
    expect([await told(zombie), await content()]).toEqual([before, 'old\n']);
    await goOn(successor);
    expect([await content(), (await results(successor)).length]).toEqual(['new\n', 1]);
    expect(await readdir(root)).toEqual(['a.md']);
  });

  it('is not begun once the run is cancelled', async () => {
    const { run, log } = await asking([write, { ...write, tool_call_id: 'w2' }]);
    const segment = segmentOf(run, log, AbortSignal.abort());
    await goOn(segment);
    expect([await content(), await results(segment)]).toEqual(['old\n', []]);
  });

  it('goes one after the other, in the order it was asked for', async () => {
    const more = ['b', 'c', 'd'].map((text) => ({
      ...write,
      tool_call_id: text,
      arguments: { path: '/a.md', content: text },
    }));
    const segment = await asking([write, ...more]);
    await goOn(segment);
    expect((await results(segment)).map(({ call_id }) => call_id)).toEqual(['w', 'b', 'c', 'd']);
    expect(await content()).toBe('d');
  });
});

describe('[13] a file that is made or deleted', () => {
  const FREE = { can_delete: true, confirmation: { create_file: 'never', delete_file: 'never' } } as const;
  const CALLS = {
    create_file: tool('w', 'create_file', { path: '/b.md', content: 'new\n' }),
    delete_file: tool('w', 'delete_file', { path: '/a.md' }),
  };
  type Name = keyof typeof CALLS;
  const AFTER: Record<Name, string[]> = { create_file: ['a.md', 'b.md'], delete_file: [] };

  /** As a crash leaves it after the intent was said. */
  async function interrupted(name: Name): Promise<{ segment: Segment; intent: FileIntent }> {
    const segment = await asking([CALLS[name]], FREE);
    const intent: FileIntent =
      name === 'create_file'
        ? { effect: 'create', ...(await files.stage('/b.md', 'new\n', 'key')) }
        : { effect: 'remove', ...(await files.stageRemoval('/a.md', 'key')) };
    await segment.log.append(() => [{ kind: 'tool_started', turn: 1, call_id: 'w', intent }]);
    return { segment: await successorOf(segment), intent };
  }
  const happen = (intent: FileIntent) =>
    intent.effect === 'remove' ? files.remove(intent) : files.create(intent.staged, intent.target);

  it.each<Name>(['create_file', 'delete_file'])('%s leaves nothing else behind', async (name) => {
    const segment = await asking([CALLS[name]], FREE);
    await goOn(segment);
    expect(await results(segment)).toMatchObject([{ ok: true, was_allowed: true }]);
    expect(await readdir(root)).toEqual(AFTER[name]);
  });

  it.each<Name>(['create_file', 'delete_file'])('%s that was cut off before it happened happens now', async (name) => {
    const { segment } = await interrupted(name);
    await goOn(segment);
    expect([await readdir(root), (await results(segment)).map(({ ok }) => ok)]).toEqual([AFTER[name], [true]]);
  });

  it.each<Name>(['create_file', 'delete_file'])(
    '%s that was cut off after it happened is not repeated',
    async (name) => {
      const { segment, intent } = await interrupted(name);
      await happen(intent);
      await goOn(segment);
      expect([await readdir(root), (await results(segment)).map(({ ok }) => ok)]).toEqual([AFTER[name], [true]]);
    },
  );

  it.each<[Name, string]>([
    ['create_file', 'b.md'],
    ['delete_file', 'a.md'],
  ])('%s that was cut off after it happened leaves alone what somebody wrote since', async (name, path) => {
    const { segment, intent } = await interrupted(name);
    await happen(intent);
    await writeFile(join(root, path), 'by a person\n');
    await goOn(segment);
    expect(await content(path)).toBe('by a person\n');
    expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'interrupted' } }]);
  });
});

describe('[2] what people decide', () => {
  const ASKS = { confirmation: {} };
  const decide = (segment: Segment, more: Partial<Extract<Fact, { kind: 'action_decided' }>>) =>
    segment.log.append(() => [{ ...(decided(1, 'w') as Extract<Fact, { kind: 'action_decided' }>), ...more }]);

  it('is asked with a diff of what would change, and nothing has changed yet', async () => {
    const segment = await asking([write], ASKS);
    await goOn(segment);
    const [action] = (await told(segment)).flatMap((fact) => (fact.kind === 'action_pending' ? [fact] : []));
    expect(action).toMatchObject({ tool: 'write_file', path: '/a.md', base_hash: await files.hash('/a.md') });
    expect(action?.preview).toContain('-old\n+new\n');
    expect([await content(), await readdir(root)]).toEqual(['old\n', ['a.md']]);
  });

  it('is bound to what was shown: anything else has another digest', async () => {
    const digest = async (call: ToolCall) => {
      const segment = await asking([call], ASKS);
      await goOn(segment);
      return (await told(segment)).flatMap((fact) => (fact.kind === 'action_pending' ? [fact.digest] : []))[0];
    };
    const first = await digest(write);
    expect(await digest(write)).toBe(first);
    expect(await digest({ ...write, arguments: { path: '/a.md', content: 'other\n' } })).not.toBe(first);
    expect(await digest({ ...write, arguments: { path: '/b.md', content: 'new\n' } })).not.toBe(first);
    await writeFile(join(root, 'a.md'), 'changed\n');
    expect(await digest(write)).not.toBe(first);
  });

  it('denied: never runs, and the model is told why', async () => {
    const segment = await asking([write], ASKS);
    await goOn(segment);
    await decide(segment, { confirmed: false, reason: 'not that one' });
    await goOn(segment);
    expect(await content()).toBe('old\n');
    const [result] = await results(segment);
    expect(result).toMatchObject({ ok: false, was_allowed: false, error: { code: 'denied' } });
    expect(result?.error?.message).toContain('not that one');
  });

  it('allowed with other arguments: those run', async () => {
    const segment = await asking([write], ASKS);
    await goOn(segment);
    await segment.log.append(() => [revised(1, 'w', { path: '/b.md', content: 'edited\n' }, true)]);
    await goOn(segment);
    expect((await told(segment)).slice(-2)).toMatchObject([
      { kind: 'action_pending', path: '/b.md', preview: expect.stringContaining('+edited\n') },
      { kind: 'action_decided', confirmed: true, arguments: { path: '/b.md' } },
    ]);
    await goOn(segment);
    expect([await content(), await content('b.md')]).toEqual(['old\n', 'edited\n']);
    // What is told of it, to the audit log say, is what was done and not what was first asked for.
    expect(await results(segment)).toMatchObject([{ ok: true, target: '/b.md' }]);
  });

  it('allowed with other content for a file that is no longer what was shown: refused', async () => {
    const segment = await asking([write], ASKS);
    await goOn(segment);
    await writeFile(join(root, 'a.md'), 'by a person\n');
    await segment.log.append(() => [revised(1, 'w', { path: '/a.md', content: 'edited\n' }, true)]);
    await goOn(segment);
    expect([await content(), await readdir(root)]).toEqual(['by a person\n', ['a.md']]);
    expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'file_changed' } }]);
  });

  describe('with other arguments', () => {
    const lines = (last: string) =>
      `--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-old\n+${last}\n--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+${last}\n`;
    const CHANGES: [string, ToolCall, Record<string, unknown>, 'folder' | 'git'][] = [
      ['write_file', write, { path: '/a.md', content: 'edited\n' }, 'folder'],
      [
        'apply_patch',
        tool('w', 'workspace', { operation: 'apply_patch', args: { patch: lines('new') } }),
        { operation: 'apply_patch', args: { patch: lines('edited') } },
        'git',
      ],
    ];
    const ALWAYS = { confirmation: { write_file: 'always', workspace: 'always' } } as const;
    const shown = async (segment: Segment) =>
      (await told(segment)).flatMap((fact) => (fact.kind === 'action_pending' ? [fact] : []));

    it.each(CHANGES)('%s is shown anew under another digest, and then waits', async (_, call, edited, kind) => {
      const segment = await asking([call], ALWAYS, caller, kind);
      await goOn(segment);
      await segment.log.append(() => [revised(1, 'w', edited)]);
      await goOn(segment);
      const [first, second] = await shown(segment);
      expect(second).toMatchObject({ action_id: first?.action_id, arguments: edited, revised: true });
      expect(second?.preview).toContain('-old\n+edited\n');
      expect(second?.digest).not.toBe(first?.digest);
      expect(nextMove(segment.log.state, segment.rules, Date.now())).toMatchObject({ do: 'wait' });
      expect(await content()).toBe('old\n');
    });

    it.each(CHANGES)('%s is held to what was shown of it', async (_, call, edited, kind) => {
      const segment = await asking([call], ALWAYS, caller, kind);
      await goOn(segment);
      await segment.log.append(() => [revised(1, 'w', edited)]);
      await goOn(segment);
      // The patch would fit it still: only what else is in the file is not what was seen.
      await writeFile(join(root, 'a.md'), 'old\nby a person\n');
      await segment.log.append(() => [{ ...decided(1, 'w'), arguments: edited } as Fact]);
      await goOn(segment);
      expect([await content(), await readdir(root)]).toEqual(['old\nby a person\n', ['a.md']]);
      expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'file_changed' } }]);
    });

    it.each(CHANGES)('%s is not allowed unseen once what was seen has changed', async (_, call, edited, kind) => {
      const segment = await asking([call], ALWAYS, caller, kind);
      await goOn(segment);
      await writeFile(join(root, 'a.md'), 'old\nby a person\n');
      await segment.log.append(() => [revised(1, 'w', edited, true)]);
      await goOn(segment);
      expect([await content(), await readdir(root)]).toEqual(['old\nby a person\n', ['a.md']]);
      expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'file_changed' } }]);
    });

    it('that cannot be shown it is as it was, and says why', async () => {
      const segment = await asking([write], ASKS);
      await goOn(segment);
      await segment.log.append(() => [revised(1, 'w', { path: '/../a.md', content: '' })]);
      await goOn(segment);
      const [first, second] = await shown(segment);
      expect(second).toEqual({ ...first, problem: expect.stringContaining('a.md') });
      await decide(segment, {});
      await goOn(segment);
      expect(await content()).toBe('new\n');
    });
  });

  it('allowed, but the file is no longer what was shown: refused, and nothing is left behind', async () => {
    const segment = await asking([write], ASKS);
    await goOn(segment);
    await writeFile(join(root, 'a.md'), 'by a person\n');
    await decide(segment, {});
    await goOn(segment);
    expect([await content(), await readdir(root)]).toEqual(['by a person\n', ['a.md']]);
    expect(await results(segment)).toMatchObject([{ ok: false, error: { code: 'file_changed' } }]);
  });

  it('is not asked about what cannot be done anyway', async () => {
    const segment = await asking([{ ...write, arguments: { path: '/../a.md', content: '' } }], ASKS);
    await goOn(segment);
    expect(await results(segment)).toMatchObject([
      { ok: false, was_allowed: false, error: { code: 'scope_violation', details: { scope_violation: true } } },
    ]);
  });

  it('is asked under an id that can be answered, however long the id of the call is', async () => {
    const ids = ['a', 'b'].map((end) => `call_${'x'.repeat(3_000)}${end}`);
    const segment = await asking(
      ids.map((id) => ({ ...write, tool_call_id: id })),
      ASKS,
    );
    await goOn(segment);
    const actions = (await told(segment)).flatMap((fact) => (fact.kind === 'action_pending' ? [fact] : []));
    expect(new Set(actions.map(({ action_id }) => action_id)).size).toBe(2);
    for (const { action_id } of actions) expect(action_id.length).toBeLessThan(100);
    expect(actions.map(({ call_id }) => call_id)).toEqual(ids);
  });

  it('can be asked of a read too, where the policy wants it', async () => {
    const read = tool('r', 'read_file', { path: '/a.md' });
    const segment = await asking([read], { confirmation: { read_file: 'always' } });
    await goOn(segment);
    expect((await told(segment)).at(-1)).toMatchObject({ kind: 'action_pending', tool: 'read_file', path: '/a.md' });
    await segment.log.append(() => [decided(1, 'r')]);
    await goOn(segment);
    expect(await results(segment)).toMatchObject([{ ok: true, result: { content: 'old\n' } }]);
  });
});

describe('[1] what a run may do is no more than its caller may at that moment', () => {
  /** A run that a writer has started, in a workspace where their role can be changed. */
  async function ofWriter(calls: ToolCall[], more: Partial<Agent> = {}) {
    const { id: workspace_id } = await createWorkspace(caller, { id: newId('ws'), name: 'Shared' });
    const writer = await newMember(caller, workspace_id, 'write');
    const segment = await asking(calls, { workspace_id, ...more }, writer);
    const becomes = (role: 'read' | 'none') =>
      role === 'none'
        ? removeMember(caller, workspace_id, writer.user_id)
        : changeRole(caller, workspace_id, writer.user_id, role);
    return { segment, becomes };
  }
  const REFUSED = {
    ok: false,
    was_allowed: false,
    error: { code: 'scope_violation', details: { scope_violation: true } },
  };

  it('who may only read by now changes nothing any more, and reads on', async () => {
    const { segment, becomes } = await ofWriter([tool('r', 'read_file', { path: '/a.md' }), write]);
    await becomes('read');
    await goOn(segment);
    expect(await results(segment)).toMatchObject([{ ok: true, result: { content: 'old\n' } }, REFUSED]);
    expect([await content(), await readdir(root)]).toEqual(['old\n', ['a.md']]);
  });

  it('who is no member any more is not even read for', async () => {
    const { segment, becomes } = await ofWriter([tool('r', 'read_file', { path: '/a.md' }), write]);
    await becomes('none');
    await goOn(segment);
    expect(await results(segment)).toMatchObject([REFUSED, REFUSED]);
    expect(await content()).toBe('old\n');
  });

  it('also between what was shown and its approval, which then runs nothing', async () => {
    const { segment, becomes } = await ofWriter([write], { confirmation: {} });
    await goOn(segment);
    await becomes('read');
    await segment.log.append(() => [decided(1, 'w')]);
    await goOn(segment);
    expect(await results(segment)).toMatchObject([REFUSED]);
    expect([await content(), await readdir(root)]).toEqual(['old\n', ['a.md']]);
  });

  it('and nobody is asked about what it may not do any more', async () => {
    const { segment, becomes } = await ofWriter([write], { confirmation: {} });
    await becomes('read');
    await goOn(segment);
    expect(await results(segment)).toMatchObject([REFUSED]);
  });
});

describe('results', () => {
  it('of reads are appended together, in the order they were asked for', async () => {
    const calls = [
      tool('slow', 'search_project', { query: 'old' }),
      tool('none', 'read_file', { path: '/none.md' }),
      tool('fast', 'read_file', { path: '/a.md' }),
    ];
    const segment = await asking(calls);
    await goOn(segment);
    const entries = await entriesAfter(segment.log.owner.run_id, 1);
    expect(entries).toHaveLength(1);
    expect((await results(segment)).map(({ call_id, ok }) => [call_id, ok])).toEqual([
      ['slow', true],
      ['none', false],
      ['fast', true],
    ]);
  });

  it('of failed calls name no place of the host', async () => {
    await writeFile(join(root, 'plain'), '');
    const segment = await asking([
      tool('1', 'write_file', { path: '/plain/below.md', content: '' }),
      tool('2', 'read_file', { path: `/${'x'.repeat(300)}` }),
      tool('3', 'read_file', { path: '/none.md' }),
    ]);
    await goOn(segment);
    expect((await results(segment)).map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(JSON.stringify(await results(segment))).not.toContain(root);
  });
});
