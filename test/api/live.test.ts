import { SignJWT } from 'jose';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { diceOf } from '../../bench/chaos/dice.ts';
import type { Delta, RunEvent } from '../../domain/run-events.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { removeMember } from '../../store/memberships.ts';
import { insertRun } from '../../store/runs.ts';
import { deriveKey } from '../../store/secrets.ts';
import { begun, cancelled, ended, message } from '../domain/told.ts';
import { newKey, newMember } from '../people.ts';
import { draft } from '../recorded-run.ts';
import { SECRET_KEY } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';
import { Transcript } from '../transcript.ts';

let system: Served;
const open: Socket[] = [];
beforeAll(async () => {
  system = await startServed();
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.disconnect();
});
afterAll(() => system.stop());

interface EventsMessage {
  run_id: string;
  events: RunEvent[];
  next_cursor: number;
}
type Reply = { ok: true; status?: string } | { ok: false; error: string; message: string };

async function connect(token: string = system.ownerKey, url = system.url): Promise<Socket> {
  const socket = io(url, { auth: { token }, reconnection: false, forceNew: true, transports: ['websocket'] });
  open.push(socket);
  await new Promise<void>((done, fail) => socket.once('connect', done).once('connect_error', fail));
  return socket;
}
const ask = (socket: Socket, what: string, about: unknown): Promise<Reply> =>
  socket.timeout(10_000).emitWithAck(what, about);

/** Everything a socket is told about runs, in the order it came. */
function heard(socket: Socket) {
  const events: RunEvent[] = [];
  const deltas: Delta[] = [];
  const changes: { run_id: string; type: string }[] = [];
  socket.on('events', (page: EventsMessage) => {
    expect(page.next_cursor).toBe((page.events.at(-1)?.cursor ?? 0) + 1);
    events.push(...page.events);
  });
  socket.on('delta', (delta: Delta) => deltas.push(delta));
  socket.on('run_changed', (change) => changes.push(change));
  return { events, deltas, changes, said: () => events.map(({ data, type }) => data.content ?? type) };
}

async function quietRun() {
  const run = await insertRun(system.caller, draft(newId('run'), system.agent));
  return { id: run._id, log: await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id }) };
}

describe('[3] who watches a run', () => {
  it('is told what there is from the cursor on, then what comes, in order and once', async () => {
    const { id, log } = await quietRun();
    await log.append(() => [...begun, message('a')]);
    const socket = await connect();
    const { said, events } = heard(socket);
    expect(await ask(socket, 'watch', { run_id: id, cursor: 2 })).toEqual({ ok: true, status: 'queued' });
    for (const facts of [[message('b')], [cancelled], [message('c'), message('d')], [ended]])
      await log.append(() => facts);
    await expect.poll(said).toEqual(['run.started', 'a', 'b', 'c', 'd', 'run.completed']);
    expect(events.map(({ cursor }) => cursor)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('sees text while it is written, and from its beginning when coming in the middle', async () => {
    system.model.script('typing', [{ text: 'one two three four five six' }]);
    const release = system.model.hold('typing', 0, 4);
    const id = await system.start('typing');
    const early = await connect();
    const one = heard(early);
    await ask(early, 'watch', { run_id: id, cursor: 1 });
    const text = (deltas: Delta[]) => {
      const whole = new Transcript();
      for (const delta of deltas) whole.takeDelta(delta);
      return whole.texts.get('1.1');
    };
    await expect.poll(() => text(one.deltas)).toBe('one two three ');
    const late = await connect();
    const two = heard(late);
    await ask(late, 'watch', { run_id: id, cursor: 1 });
    await expect.poll(() => text(two.deltas)).toBe('one two three ');
    expect(two.deltas[0]).toMatchObject({ run_id: id, turn: 1, try: 1, offset: 0 });
    release();
    for (const { events } of [one, two]) {
      await expect.poll(() => events.at(-1)?.type).toBe('run.completed');
      expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    }
  });

  it('is told no more after unwatch, and from the new cursor on after watching again', async () => {
    const { id, log } = await quietRun();
    await log.append(() => begun);
    const socket = await connect();
    const { said } = heard(socket);
    await ask(socket, 'watch', { run_id: id, cursor: 1 });
    await expect.poll(said).toEqual(['run.queued', 'run.started']);
    socket.emit('unwatch', { run_id: id });
    await expect.poll(() => system.api.hub.followers).toBe(0);
    await log.append(() => [message('unheard'), message('heard')]);
    await ask(socket, 'watch', { run_id: id, cursor: 4 });
    await ask(socket, 'watch', { run_id: id, cursor: 4 });
    await log.append(() => [message('last')]);
    await expect.poll(said).toEqual(expect.arrayContaining(['last']));
    expect(said().filter((word) => word === 'last')).toHaveLength(1);
    expect(said()).not.toContain('unheard');
    expect(system.api.hub.followers).toBe(1);
  });

  it('through another API process is told the same', async () => {
    const another = await system.anotherApi();
    system.model.script('two-doors', [
      { text: 'one two three', tool_calls: [{ name: 'list_files' }] },
      { text: 'Done.' },
    ]);
    const [here, there] = [await connect(), await connect(system.ownerKey, another.url)];
    const [one, two] = [heard(here), heard(there)];
    for (const socket of [here, there]) await ask(socket, 'watch_workspace', { workspace_id: system.workspace.id });
    const release = system.model.hold('two-doors', 0, 2);
    const id = await system.start('two-doors');
    for (const socket of [here, there]) await ask(socket, 'watch', { run_id: id, cursor: 1 });
    for (const { deltas } of [one, two]) await expect.poll(() => deltas.length).toBeGreaterThan(0);
    release();
    for (const { events } of [one, two]) await expect.poll(() => events.at(-1)?.type).toBe('run.completed');
    expect(two.events).toEqual(one.events);
    for (const { changes } of [one, two]) {
      await expect
        .poll(() => changes.filter(({ run_id }) => run_id === id).map(({ type }) => type))
        .toEqual(['run.started', 'run.ended']);
    }
  });

  it('[15.7] has the same transcript after twenty random disconnects, and nothing twice', async () => {
    const CUTS = 20;
    const dice = diceOf(7);
    const words = Array.from({ length: 100 }, (_, n) => `wörd${n}`).join(' ');
    const slow = (more = {}) => ({ fault: 'slow' as const, delay_ms: 3, text: words, ...more });
    system.model.script('torn', [
      slow({ tool_calls: [{ name: 'list_files' }] }),
      slow({ tool_calls: [{ name: 'list_files' }] }),
      slow(),
    ]);
    // The last answer is not finished before all cuts were made, however fast this machine is.
    const release = system.model.hold('torn', 2, 50);
    const held = `${words.split(' ').slice(0, 49).join(' ')} `;
    const id = await system.start('torn');
    const mine = new Transcript();
    for (let cuts = 0; !mine.hasEnded; cuts++) {
      if (cuts === CUTS) release();
      let left = cuts < CUTS ? dice(8) : Number.POSITIVE_INFINITY;
      const socket = await connect();
      mine.connected();
      await new Promise<void>((done) => {
        const count = () => {
          left -= 1;
          const isHeld = cuts < CUTS && mine.texts.get('3.1') === held;
          if (left >= 0 && !isHeld && !mine.hasEnded) return;
          // What is still on its way belongs to a connection that is no more.
          socket.off().disconnect();
          done();
        };
        socket.on('events', ({ events }: EventsMessage) => {
          for (const event of events) mine.take(event);
          count();
        });
        socket.on('delta', (delta: Delta) => {
          mine.takeDelta(delta);
          count();
        });
        socket.emit('watch', { run_id: id, cursor: mine.next }, () => undefined);
      });
    }
    const whole = (await system.call('GET', `/runs/${id}/events`)).body.events;
    expect(mine.wrong).toEqual([]);
    expect(JSON.stringify(mine.events)).toBe(JSON.stringify(whole));
    for (const [key, text] of mine.texts) expect([key, words.startsWith(text)]).toEqual([key, true]);
    expect(mine.texts.size).toBeGreaterThan(1);
    await expect.poll(() => system.api.hub.followers).toBe(0);
    system.model.assertDone('torn');
  });

  it('and goes away while it is looked up leaves nobody following', async () => {
    const { id } = await quietRun();
    const socket = await connect();
    const about = { run_id: id, cursor: 1 };
    const first = ask(socket, 'watch', about);
    // So many that some are still being looked up when the first has been answered.
    for (let n = 0; n < 300; n++) socket.emit('watch', about);
    await first;
    socket.disconnect();
    const last = await connect();
    await ask(last, 'watch', { run_id: id, cursor: 1 });
    await expect.poll(() => system.api.hub.followers).toBe(1);
    last.disconnect();
    await expect.poll(() => system.api.hub.followers).toBe(0);
  });
});

describe('[1] a socket', () => {
  it.each([
    ['no token', {}],
    ['a token that is none', { token: 'nonsense' }],
    ['a token that is no text', { token: { $ne: null } }],
  ])('with %s is not let in', async (_what, auth) => {
    const socket = io(system.url, { auth, reconnection: false, forceNew: true });
    open.push(socket);
    const error = await new Promise<Error>((done) => socket.once('connect_error', done));
    expect(error.message).toBe('unauthenticated');
  });

  it('of another organization sees neither run nor workspace, and hears nothing', async () => {
    const { id, log } = await quietRun();
    const [stranger, ours] = [await connect(await system.foreigner()), await connect()];
    const [theirs, told] = [heard(stranger), heard(ours)];
    expect(await ask(stranger, 'watch', { run_id: id, cursor: 1 })).toMatchObject({ ok: false, error: 'not_found' });
    const workspace = { workspace_id: system.workspace.id };
    expect(await ask(stranger, 'watch_workspace', workspace)).toMatchObject({ ok: false, error: 'not_found' });
    await ask(ours, 'watch', { run_id: id, cursor: 1 });
    await ask(ours, 'watch_workspace', workspace);
    await log.append(() => [...begun, message('for us')]);
    await expect.poll(told.said).toContain('for us');
    await expect.poll(() => told.changes.length).toBe(1);
    // A round trip after ours had theirs to say, if there was anything.
    await ask(stranger, 'watch', { run_id: id, cursor: 1 });
    expect([theirs.events, theirs.deltas, theirs.changes]).toEqual([[], [], []]);
  });

  it.each<[string, unknown]>([
    ['no cursor', { run_id: `run_${'0'.repeat(26)}` }],
    ['a cursor before the first', { run_id: `run_${'0'.repeat(26)}`, cursor: 0 }],
    ['more than is asked', { run_id: `run_${'0'.repeat(26)}`, cursor: 1, admin: true }],
    ['an operator for an id', { run_id: { $ne: null }, cursor: 1 }],
    ['nothing', undefined],
  ])('that asks with %s is told what is wrong', async (_what, about) => {
    expect(await ask(await connect(), 'watch', about)).toMatchObject({ ok: false, error: 'invalid_request' });
  });

  it('that wants no reply is none the worse for it', async () => {
    const socket = await connect();
    for (const what of ['watch', 'watch_workspace', 'unwatch', 'unwatch_workspace', 'nonsense'])
      socket.emit(what, 'x', 'y');
    expect(await ask(socket, 'watch_workspace', { workspace_id: system.workspace.id })).toEqual({ ok: true });
  });

  it('that leaves a workspace hears no more of it', async () => {
    const [leaving, staying] = [await connect(), await connect()];
    const [one, two] = [heard(leaving), heard(staying)];
    const workspace = { workspace_id: system.workspace.id };
    for (const socket of [leaving, staying]) await ask(socket, 'watch_workspace', workspace);
    leaving.emit('unwatch_workspace', workspace);
    await ask(leaving, 'watch', { run_id: newId('run'), cursor: 1 });
    const { log } = await quietRun();
    await log.append(() => begun);
    await expect.poll(() => two.changes.length).toBe(1);
    expect(one.changes).toEqual([]);
  });

  it('ends with its token', async () => {
    const { user_id } = system.caller;
    const expires = Math.floor(Date.now() / 1000) + 2;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('longhaul')
      .setAudience('longhaul')
      .setSubject(user_id)
      .setExpirationTime(expires)
      .sign(deriveKey(SECRET_KEY, 'sign-in tokens'));
    const socket = await connect(token);
    const { id } = await quietRun();
    await ask(socket, 'watch', { run_id: id, cursor: 1 });
    const signedOut = new Promise<{ message: string }>((done) => socket.once('signed_out', done));
    const gone = new Promise<string>((done) => socket.once('disconnect', done));
    expect((await signedOut).message).toContain('expired');
    expect(await gone).toBe('io server disconnect');
    expect(Date.now() / 1000 - expires).toBeLessThan(5);
    await expect.poll(() => system.api.hub.followers).toBe(0);
  });

  it('of a member who was removed hears no more, within the time of the next check', async () => {
    // Only intervals: everything else must go on as it does.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const member = await newMember(system.caller, system.workspace.id, 'read');
      const socket = await connect(await newKey(member));
      const { said, changes } = heard(socket);
      const { id, log } = await quietRun();
      await ask(socket, 'watch', { run_id: id, cursor: 1 });
      await ask(socket, 'watch_workspace', { workspace_id: system.workspace.id });
      await log.append(() => begun);
      await expect.poll(said).toEqual(['run.queued', 'run.started']);
      await removeMember(system.caller, system.workspace.id, member.user_id);
      system.api.identity.forget();
      vi.advanceTimersByTime(15_000);
      await expect.poll(() => system.api.hub.followers).toBe(0);
      await log.append(() => [ended]);
      expect(await ask(socket, 'watch', { run_id: id, cursor: 1 })).toMatchObject({ ok: false, error: 'not_found' });
      expect([said().length, changes.map(({ type }) => type)]).toEqual([2, ['run.started']]);
    } finally {
      vi.useRealTimers();
    }
  });
});
