import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { textHash } from '../../domain/edits/text.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import { AGENT } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';
import { canMakeTerminals, startProgram } from './terminal-program.ts';

let system: Served;
let edits: ReturnType<typeof editing>;
let home: string;
beforeAll(async () => {
  system = await startServed();
  edits = editing(system);
  home = await mkdtemp(join(tmpdir(), 'longhaul-cli-'));
});
afterAll(async () => {
  await system.stop();
  await rm(home, { recursive: true, force: true });
});

const place = () => ({ url: system.url, key: system.ownerKey, home });
const run = (...args: string[]) => startProgram(place(), args).ended;
const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

describe('[12] edits in a pipe', () => {
  it('are proposed, shown, decided with options, applied and taken back', async () => {
    await edits.lay({ 'piped.md': TEXT });
    const two = propose(replaceLine('piped.md', 1, 'one', 'ONE'), replaceLine('piped.md', 9, 'nine', 'NINE'));
    system.model.script('piped', [two]);
    const started = await run('edit', '[script:piped] Do it.');
    expect(started).toMatchObject({ code: 0, err: '' });
    const id = /run_[0-9a-z]{26}/.exec(started.out)?.[0] ?? '';
    expect(started.out).toContain(`longhaul review ${id}`);

    const shown = await run('review', id);
    expect(shown.out).toContain('+ONE');
    expect(shown.out).toContain('2 changes in 1 file: 0 accepted, 0 rejected, 2 undecided.');
    const told = JSON.parse((await run('review', id, '--json')).out);
    expect(told.diff_bundle.files[0].hunks).toHaveLength(2);

    const applied = await run('review', id, '--accept', 'h_2', '--reject', 'h_1', '--apply');
    expect(applied.out).toContain('piped.md: 1 change');
    expect(await edits.disk('piped.md')).toBe(TEXT.replace('nine', 'NINE'));
    const checkpoint = /ckp_[0-9a-z]{26}/.exec(applied.out)?.[0] ?? '';

    expect((await run('checkpoints')).out).toContain(checkpoint);
    expect((await run('checkpoints', checkpoint)).out).toContain('h_2 accepted');
    const dry = await run('rollback', checkpoint, '--dry-run');
    expect(dry.out).toContain('nothing was written');
    expect(await run('rollback', checkpoint)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect(await edits.disk('piped.md')).toBe(TEXT.replace('nine', 'NINE'));
    expect((await run('rollback', checkpoint, '--yes')).out).toContain('1 file written.');
    expect(await edits.disk('piped.md')).toBe(TEXT);
  });

  it('are accepted and rejected all at once but for what is decided, and what is left out is said', async () => {
    const rest = `${`b ${'x'.repeat(60)}`.repeat(200)}\n`;
    await edits.lay({ 'all.md': TEXT, 'huge.md': 'a\n' });
    const { id } = await edits.proposed('all', [
      propose(
        replaceLine('all.md', 1, 'one', 'ONE'),
        replaceLine('all.md', 9, 'nine', 'NINE'),
        replaceLine('huge.md', 1, 'a', rest),
      ),
    ]);
    expect((await run('review', id, '--reject', 'h_1', '--accept', 'all')).out).toContain(
      '1 accepted, 1 rejected, 1 undecided.',
    );
    const applied = await run('review', id, '--apply');
    expect(applied.out).toContain('1 undecided change left out.');
    expect([await edits.disk('all.md'), await edits.disk('huge.md')]).toEqual([TEXT.replace('nine', 'NINE'), 'a\n']);
  });

  it('that do not fit the files are a conflict: what differs is said, and a rerun proposes anew', async () => {
    await edits.lay({ 'other.md': TEXT });
    const { expected_text: _, ...line } = replaceLine('other.md', 2, '', 'TWO');
    system.model.script('other', [
      propose({ ...line, expected_hash: textHash('zwei\n') }),
      propose({ ...line, expected_hash: textHash('two\n') }),
    ]);
    const started = await run('edit', '[script:other] Do it.');
    const id = /run_[0-9a-z]{26}/.exec(started.out)?.[0] ?? '';
    expect(started.out).toContain('other.md: The agent has not read the file before.');
    expect(started.out).toContain('1 edit proposed, none of which can be made.');
    const shown = await run('review', id);
    expect(shown.out).toContain('at line 2 (e_1).');
    expect(shown.out).toContain(`longhaul review ${id} --rerun`);
    expect(await run('review', id, '--apply')).toMatchObject({ code: 1, err: expect.stringContaining('Run the job') });

    expect((await run('review', id, '--rerun')).out).toContain('Sent back.');
    await expect.poll(async () => (await edits.job(id)).review?.proposal).toBe(2);
    expect((await run('review', id, '--accept', 'all', '--apply')).out).toContain('1 file written.');
    expect(await edits.disk('other.md')).toBe(TEXT.replace('two', 'TWO'));
  });

  it('of an agent below are found by the run above it, and a conflict of theirs is run again from there', async () => {
    await edits.lay({ 'under.md': TEXT });
    const make = (more: object) =>
      createAgent(system.caller, {
        ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, ...more }),
        id: newId('agt'),
      });
    const child = await make({ name: 'Under', slug: 'under', system_tools: ['read_file', 'propose_edits'] });
    const lead = await make({ name: 'Over', delegated_agents: [{ agent_id: child.id }] });
    system.model.script('over', [
      { tool_calls: [{ name: 'delegate_to_under', arguments: { task: '[script:under] Edit it.' } }] },
      { text: 'Edited.' },
    ]);
    const { expected_text: _, ...wrong } = replaceLine('under.md', 1, '', 'ONE');
    system.model.script('under', [
      propose({ ...wrong, expected_hash: textHash('uno\n') }),
      propose(replaceLine('under.md', 1, 'one', 'ONE')),
    ]);
    const id = await system.start('over', { agent_id: lead.id });
    const [{ job_id = '' } = {}] = (
      await system.until(id, ({ pending_reviews: [review] }) => review?.state === 'conflict')
    ).pending_reviews;
    const shown = await run('review', id);
    expect(shown.out).toContain('under.md: ');
    expect(shown.out).toContain(`longhaul review ${job_id} --rerun`);
    expect((await run('review', id, '--rerun')).out).toContain(`longhaul review ${job_id}`);
    await system.until(id, ({ pending_reviews: [review] }) => review?.state === 'open');
    expect((await run('review', id, '--accept', 'all', '--apply')).out).toContain('under.md: 1 change');
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    expect((await run('watch', id)).out).toContain(`longhaul review ${job_id} --rerun`);
  });

  it('say what is not there', async () => {
    expect(await run('review', 'job_1')).toMatchObject({ code: 1, err: expect.stringContaining('longhaul runs') });
    expect(await run('rollback', 'x')).toMatchObject({ code: 1, err: expect.stringContaining('longhaul checkpoints') });
  });
});

describe.runIf(canMakeTerminals)('[12] a review on a terminal', () => {
  it('goes change by change as git add -p does, with a comment and an edit by hand, and applies what was accepted', async () => {
    await edits.lay({ 'typed.md': TEXT });
    const { id } = await edits.proposed('typed', [
      propose(
        replaceLine('typed.md', 1, 'one', 'ONE'),
        replaceLine('typed.md', 5, 'five', 'proposed'),
        replaceLine('typed.md', 9, 'nine', 'NINE'),
      ),
    ]);
    const program = startProgram(place(), ['review', id], { terminal: true });
    let prompts = 0;
    /** The next time it asks this, whatever came before. */
    const answer = async (keys: string, asked = /\[y,n,a,d,e,s,c,q,\?\]\?/) => {
      if (asked.source.startsWith('\\[y')) prompts += 1;
      const times = asked.source.startsWith('\\[y') ? prompts : 1;
      await program.printed(new RegExp(`(?:${asked.source}[\\s\\S]*){${times}}`));
      program.type(`${keys}\r`);
    };
    await answer('?');
    await program.printed(/this help/);
    await answer('y');
    await answer('c');
    await answer('Good.', /said about it\?/);
    await answer('e');
    await answer('y');
    await answer('n');
    await answer('y', /1 rejected, 0 undecided\.[\s\S]*leave it \(n\)\?/);
    const { code, out } = await program.ended;
    expect([code, out]).toEqual([0, expect.stringContaining('1 file written.')]);
    expect(await edits.disk('typed.md')).toBe(TEXT.replace('one', 'ONE').replace('five', 'edited'));
  });

  it('that finds a conflict says what differs, and runs it again on what is there now', async () => {
    await edits.lay({ 'misfit.md': TEXT });
    const { expected_text: _, ...line } = replaceLine('misfit.md', 2, '', 'TWO');
    const { id } = await edits.proposed('misfit', [
      propose({ ...line, expected_hash: textHash('zwei\n') }),
      propose({ ...line, expected_hash: textHash('two\n') }),
    ]);
    const program = startProgram(place(), ['review', id], { terminal: true });
    await program.printed(/at line 2 \(e_1\)[\s\S]*leave it \(n\)\?/);
    program.type('y\r');
    expect(await program.ended).toMatchObject({ code: 0, out: expect.stringContaining('Sent back.') });
    await expect.poll(async () => (await edits.job(id)).review?.proposal).toBe(2);
    await edits.post(`/jobs/${id}/cancel`, {});
  });
});
