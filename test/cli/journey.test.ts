import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../domain/run.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { type Supervised, startSupervised } from '../supervised-system.ts';
import { canMakeTerminals, startProgram } from './terminal-program.ts';

let system: Supervised;
beforeAll(async () => {
  system = await startSupervised({ demo: true });
}, 120_000);
afterAll(() => system.stop());

const place = () => ({ url: system.url(), key: system.key, home: join(system.home, 'nobody') });
const start = (...args: string[]) => startProgram(place(), args);
const onTerminal = (...args: string[]) => startProgram(place(), args, { terminal: true });
const run = (...args: string[]) => start(...args).ended;
const scripted = (script: string, ...flags: string[]) => [
  'run',
  '--agent',
  'crash-agent',
  ...flags,
  `[script:${script}]`,
];
const RUN_ID = /run_[0-9a-z]{26}/;

const write = (name: string, content: string) => ({
  text: 'I write it down.',
  tool_calls: [{ name: 'write_file', arguments: { path: `/${name}.md`, content } }],
});
const written = (name: string): Promise<string> => readFile(join(system.root, `${name}.md`), 'utf8');

describe('[12] in a pipe', () => {
  it('a run is shown line by line, says what its model is, and its end is the exit code', async () => {
    const { code, out, err } = await run('run', 'list the files in experiments');
    expect(out).toMatch(/^Demo assistant on Sample notebook · run_\w+\n.*rule-based demo model, not an LLM/);
    expect(out).toContain('  ✓ list_files ');
    expect(out).toMatch(/✓ completed · 2 turns · [\d,]+ tokens · .*\n$/);
    expect(out).not.toContain('\x1b');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('what a run did is listed step by step, and explained', async () => {
    const { out } = await run('run', 'list the files in experiments');
    const [id = ''] = RUN_ID.exec(out) ?? [];
    const steps = await run('steps', id);
    expect(steps.out).toMatch(/^STEP +TYPE +WHAT .*\n +1 +llm_response /);
    expect(steps.out).toMatch(/\n +2 +tool_call +list_files /);
    const explained = await run('explain', id, '1');
    expect(explained).toMatchObject({ code: 0, err: '', out: expect.stringContaining('not an LLM') });
    expect((await run('explain', id, 'first')).err).toContain(`longhaul steps ${id}`);
  });

  it('a run at work is steered', async () => {
    system.model.script('steered', [{ text: 'At length.' }, { text: 'Brief.' }]);
    const release = system.model.hold('steered', 0);
    const working = start(...scripted('steered'));
    const [id] = await working.printed(RUN_ID);
    await system.model.reached('steered', 0);
    expect(await run('steer', id, 'be', 'brief')).toMatchObject({ code: 0, err: '' });
    release();
    expect((await working.ended).out).toContain('Brief.');
    expect(JSON.stringify(system.model.callsOf('steered', 1)[0]?.request.messages)).toContain('be brief');
  });

  it('runs are narrowed and sorted', async () => {
    const listed = async (...flags: string[]) =>
      (await run('runs', '--json', ...flags)).out
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Run => JSON.parse(line));
    system.model.script('listed', [{ text: 'Here.' }]);
    await run(...scripted('listed'));
    const names = (await listed('--sort', 'agent_desc', '--roots', '--from', '2020-01-01')).map(
      (each) => each.agent_name,
    );
    expect(names).toEqual([...names].sort().reverse());
    const own = await listed('--agent', 'crash-agent', '--trigger', 'sdk');
    expect(new Set(own.map((each) => each.agent_name))).toEqual(new Set(['Crash agent']));
    expect((await run('runs', '--from', '2999-01-01')).out).toBe('No run fits.\n');
    expect((await run('runs', '--to', 'yesterday')).err).toContain('--to takes a time');
  });

  it('nothing is ever asked: what waits is printed with the command that answers it, and that command does', async () => {
    system.model.script('allowed', [write('allowed', 'as proposed\n'), { text: 'Done.' }]);
    const waiting = start(...scripted('allowed'));
    const [, command = ''] = await waiting.printed(/Allow with: {2}longhaul (.*)\n/);
    const approved = await run(...command.split(' '));
    expect(approved).toMatchObject({ code: 0, err: '' });
    expect(approved.out).toMatch(/\+as proposed\nAllowed: write_file \/allowed\.md\. run_\w+ goes on\.\n$/);
    const { code, out } = await waiting.ended;
    expect(out).toMatch(/Owner allowed it\n {2}✓ write_file \/allowed\.md .*\nDone\.\n/);
    expect(code).toBe(0);
    expect(await written('allowed')).toBe('as proposed\n');
  });

  it('an action that is denied never happens, and the agent is told why', async () => {
    system.model.script('denied', [write('denied', 'x\n'), { text: 'Then not.' }]);
    const waiting = start(...scripted('denied'));
    const [id] = await waiting.printed(RUN_ID);
    await waiting.printed('Deny with:');
    const denied = await run('approve', id, '--deny', '--reason', 'not today');
    expect(denied.out).toMatch(
      /Denied: write_file \/denied\.md\. The agent is told, and run_\w+ goes on without it\.\n$/,
    );
    const { code, out } = await waiting.ended;
    expect(out).toContain('Owner denied it: not today\n');
    expect(code).toBe(0);
    await expect(written('denied')).rejects.toThrow('ENOENT');
    expect(JSON.stringify(system.model.callsOf('denied', 1)[0]?.request.messages)).toContain('not today');
  });

  it('a question is answered with its only run left out, and watching shows the run from its beginning', async () => {
    const detached = await run('run', '--detach', 'ask me what to do');
    const id = RUN_ID.exec(detached.out)?.[0] ?? '';
    await system.until(id, (found) => found.status === 'waiting_for_user');
    const answered = await run('answer', '3');
    expect(answered.out).toMatch(/^\? That can mean several things[\s\S]*Answered\. run_\w+ goes on\.\n$/);
    const { code, out } = await run('watch', id);
    expect(out).toContain('» Owner: ask me what to do\n');
    expect(out).toContain('  Owner answered: 3\n');
    expect(out).not.toContain('longhaul answer');
    expect(code).toBe(0);
    const late = await run('answer', id, 'too late');
    expect(late).toMatchObject({ code: 1, out: '' });
    expect(late.err).toContain(`No question of ${id} waits: it is completed.`);
  });

  it('--json prints every event once, and the run as the last line', async () => {
    const { code, out } = await run('run', '--json', 'count the TODOs');
    const lines = out.trimEnd().split('\n');
    const last = JSON.parse(lines.pop() ?? '') as Run;
    const events = lines.map((text) => JSON.parse(text) as RunEvent);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(last).toMatchObject({ status: 'completed', output: events.at(-1)?.data.output });
    expect(code).toBe(0);
    const listed = (await run('runs', '--json', '--status', 'completed')).out.trimEnd().split('\n');
    expect(listed.map((text) => (JSON.parse(text) as Run).id)).toContain(last.id);
  });

  it('a failed run is exit code 1, with what to do', async () => {
    system.model.script('failed', [{ fault: '401' }]);
    const { code, out } = await run(...scripted('failed'));
    expect(out).toMatch(/Set a valid key[\s\S]*✗ failed/);
    expect(code).toBe(1);
  });

  it('a run that is out of budget is exit code 2', async () => {
    const { code, out } = await run('run', '--max-iterations', '2', 'work through every file');
    expect(out).toContain('! budget_exceeded');
    expect(code).toBe(2);
  });

  it('a run that is cancelled is exit code 2', async () => {
    system.model.script('cancelled', [{ fault: 'hang' }]);
    const going = start(...scripted('cancelled'));
    await system.model.reached('cancelled', 0);
    const { out } = await run('cancel');
    expect(out).toMatch(/^run_\w+ is cancelled\.\n$/);
    expect((await going.ended).code).toBe(2);
  });

  it('Ctrl-C leaves the run going and says how to come back', async () => {
    system.model.script('left', [{ text: 'one two three' }]);
    const release = system.model.hold('left', 0, 1);
    const going = start(...scripted('left'));
    const [id] = await going.printed(RUN_ID);
    await system.model.reached('left', 0);
    going.kill('SIGINT');
    const { code, out } = await going.ended;
    expect(out).toContain(`The run goes on. Watch it with: longhaul watch ${id}`);
    expect(code).toBe(130);
    release();
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'one two three' });
  });

  it('kill -9 of the API in the middle of an answer: it is caught up with, nothing is missing and nothing twice', async () => {
    system.model.script('restart', [{ tool_calls: [{ name: 'list_files' }] }, { text: 'one two three four' }]);
    const release = system.model.hold('restart', 1, 2);
    const going = start(...scripted('restart', '--json'));
    await system.model.reached('restart', 1);
    await system.kill('api');
    release();
    const { code, out } = await going.ended;
    const events = out
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text) as RunEvent);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.data.output).toBe('one two three four');
    expect(code).toBe(0);
  });

  it('mistakes say what happened and what to do', async () => {
    const unknown = await run('watch', `run_${'0'.repeat(26)}`);
    expect(unknown.err).toMatch(/There is no run run_0+\. Check the id.*\nRequest id: req_\w+\n$/);
    expect((await run('run', '--agent', 'nobody', 'x')).err).toMatch(
      /There is no agent "nobody"\.\nYou can use .*demo-assistant/,
    );
    expect((await run('approve')).err).toContain('No action waits in any run.');
    const away = await startProgram({ ...place(), url: 'http://127.0.0.1:1' }, ['runs']).ended;
    expect(away).toMatchObject({ code: 1, out: '' });
    expect(away.err).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:1\.\nStart Longhaul with `npm start`/);
  });

  it('agents and runs are listed as tables', async () => {
    expect((await run('agents')).out).toMatch(
      /^SLUG +NAME +MODEL +MAY\n[\s\S]*demo-assistant .*not an LLM\) +read, write, create/,
    );
    const { out } = await run('runs', '--limit', '2');
    expect(out).toMatch(/^STATUS +RUN +AGENT +STARTED +DURATION +TOKENS\n[✓✗⊘!] \w+ +run_\w{26} /);
    expect(out).toContain('The newest 2; --limit shows more.');
  });
});

const DOWN = '\x1b[B';
const ENTER = '\r';
const CTRL_C = '\x03';

describe.skipIf(!canMakeTerminals)('[12] on a terminal', () => {
  it('text is streamed, an action is asked for with its diff, and Enter allows it', async () => {
    system.model.script('asked', [write('asked', 'as proposed\n'), { text: 'one two three' }]);
    const release = system.model.hold('asked', 1, 2);
    const going = onTerminal(...scripted('asked'));
    await going.printed('\x1b[32m+as proposed');
    await going.printed('Allow write_file /asked.md?');
    going.type(ENTER);
    await going.printed(/Owner allowed it[\s\S]*one/);
    release();
    const { code, out } = await going.ended;
    expect(out.match(/one|two|three/g)).toEqual(['one', 'two', 'three']);
    expect(code).toBe(0);
    expect(await written('asked')).toBe('as proposed\n');
  });

  it('arguments are edited before they are allowed', async () => {
    system.model.script('edited', [write('edited', 'as proposed\n'), { text: 'Done.' }]);
    const going = onTerminal(...scripted('edited'));
    await going.printed('Allow write_file /edited.md?');
    going.type(DOWN + DOWN + ENTER);
    // Shown again as it would be written, and asked about as such.
    await going.printed(/\+as edited[\s\S]*Allow write_file \/edited\.md\?/);
    going.type(ENTER);
    const { code, out } = await going.ended;
    expect(out).toContain('Owner allowed it with changes');
    expect(code).toBe(0);
    expect(await written('edited')).toBe('as edited\n');
  });

  it('a denial asks for its reason', async () => {
    system.model.script('refused', [write('refused', 'x\n'), { text: 'Then not.' }]);
    const going = onTerminal(...scripted('refused'));
    await going.printed('Allow write_file /refused.md?');
    going.type(DOWN + ENTER);
    await going.printed('Why not?');
    going.type(`later${ENTER}`);
    const { code, out } = await going.ended;
    expect(out).toContain('Owner denied it: later');
    expect(code).toBe(0);
  });

  it('what was answered elsewhere is no longer asked for here', async () => {
    system.model.script('elsewhere', [write('elsewhere', 'x\n'), { text: 'Done.' }]);
    const going = onTerminal(...scripted('elsewhere'));
    const [id] = await going.printed(RUN_ID);
    await going.printed('Allow write_file /elsewhere.md?');
    expect((await run('approve', id)).code).toBe(0);
    const { code, out } = await going.ended;
    expect(out).toContain('Owner allowed it');
    expect(code).toBe(0);
  });

  it('what was typed before a prompt was shown is no part of its answer', async () => {
    const ask = {
      text: 'I ask first.',
      tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which colour?' } }],
    };
    system.model.script('early', [ask, { text: 'Done.' }]);
    const release = system.model.hold('early', 0, 3);
    const going = onTerminal(...scripted('early'));
    await going.printed('I ask');
    going.type(`red${ENTER}or `);
    release();
    await going.printed('Your answer');
    going.type(`blue${ENTER}`);
    const { code, out } = await going.ended;
    expect(out).toContain('Owner answered: blue');
    expect(code).toBe(0);
  });

  it('Ctrl-C asks whether to leave the run or to cancel it', async () => {
    system.model.script('menu', [{ fault: 'hang' }]);
    const going = onTerminal(...scripted('menu'));
    const [id] = await going.printed(RUN_ID);
    await going.printed('waiting for the model');
    going.type(CTRL_C);
    await going.printed('Leave it running');
    going.type(DOWN + ENTER);
    const { code, out } = await going.ended;
    expect(out).toContain('⊘ cancelled');
    expect(code).toBe(2);
    expect(await system.ended(id)).toMatchObject({ status: 'cancelled' });
  });

  it('a question is answered in the terminal, and watching a run asks as well', async () => {
    const detached = await run('run', '--detach', 'ask me what to do');
    const id = RUN_ID.exec(detached.out)?.[0] ?? '';
    const going = onTerminal('watch', id);
    await going.printed('Your answer');
    going.type(`3${ENTER}`);
    const { code, out } = await going.ended;
    expect(out).toContain('Owner answered: 3');
    expect(code).toBe(0);
  });
});
