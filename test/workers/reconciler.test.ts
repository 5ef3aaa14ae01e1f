import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import { workflowIdOf } from '../../domain/run-id.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { loadRun, markWake } from '../../store/run-upkeep.ts';
import { insertRun } from '../../store/runs.ts';
import { Reconciler } from '../../workers/reconciler.ts';
import { begun, ended } from '../domain/told.ts';
import { draft } from '../recorded-run.ts';
import { quiet, type System, startGivingUp, startSystem } from '../running-system.ts';

let system: System;
let reconciler: Reconciler;
beforeAll(async () => {
  system = await startSystem();
  reconciler = new Reconciler(system.client, system.starter, quiet);
});
afterAll(() => system.stop());

/** A round as it would be so much later. */
const roundIn = (seconds: number) => reconciler.once(Date.now() + 1000 * seconds);
const logOf = (run_id: string) => RunLog.open({ run_id, workspace_id: system.workspace.id });
const workflowOf = (id: string) => system.client.workflow.getHandle(workflowIdOf(id));

/** As a process leaves it that died after it had recorded the run. */
async function recorded(script: string): Promise<string> {
  const run = await insertRun(
    system.caller,
    draft(newId('run'), system.agent, { notebook: system.notebook, input: `[script:${script}] Do it.` }),
  );
  return run._id;
}

async function asking(script: string): Promise<{ id: string; question_id: string }> {
  system.model.script(script, [
    { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] },
    { text: 'Done.' },
  ]);
  const id = await system.start(script);
  const run = await system.until(id, ({ status }) => status === 'waiting_for_user');
  return { id, question_id: run.pending_questions[0]?.id ?? '' };
}

/** As a process leaves it that died between the append and the signal. */
async function answeredByTheDead(id: string, question_id: string): Promise<void> {
  const by = { user_id: system.caller.user_id, name: system.caller.name };
  const fact: Fact = { kind: 'question_answered', turn: 1, call_id: 'call_0_0', question_id, answer: 'This.', by };
  await markWake(id);
  await (await logOf(id)).append(() => [fact]);
}

describe('[13] a run that was recorded and never started', () => {
  it('is started, once, by whoever finds it', async () => {
    system.model.script('orphan', [{ text: 'Found.' }]);
    const id = await recorded('orphan');
    const others = [1, 2, 3].map(() => new Reconciler(system.client, system.starter, quiet));
    await Promise.all([reconciler, ...others].map((one) => one.once(Date.now() + 4_000)));
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Found.' });
    expect(system.model.count('orphan').calls).toBe(1);
  });

  it('is started where its workflow had given up waiting for the record', async () => {
    system.model.script('too-late', [{ text: 'After all.' }]);
    const id = newId('run');
    await (await startGivingUp(system, id)).result();
    await insertRun(
      system.caller,
      draft(id, system.agent, { notebook: system.notebook, input: '[script:too-late] Do it.' }),
    );
    await roundIn(4);
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'After all.' });
    expect(system.model.count('too-late').calls).toBe(1);
  });

  it('is left to who recorded it for as long as that may still be under way', async () => {
    const id = await recorded('young');
    await roundIn(0);
    await expect(workflowOf(id).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
    await system.commands.cancel(system.caller, id);
  });

  it('and was cancelled meanwhile ends as cancelled, without a model call', async () => {
    const id = await recorded('never');
    await system.commands.cancel(system.caller, id);
    await roundIn(4);
    expect((await system.ended(id)).status).toBe('cancelled');
    expect(system.model.count('never').calls).toBe(0);
  });
});

describe('[13] an answer whose sender died before the workflow was told', () => {
  it('is acted on', async () => {
    const { id, question_id } = await asking('unsaid');
    await answeredByTheDead(id, question_id);
    await roundIn(4);
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Done.' });
    expect((await loadRun(id))?.wake_since).toBeNull();
    system.model.assertDone('unsaid');
  });

  it('is acted on though its sender comes back and is told that it is not pending any more', async () => {
    const { id, question_id } = await asking('again');
    await answeredByTheDead(id, question_id);
    await expect(system.commands.answer(system.caller, id, question_id, 'This!')).rejects.toMatchObject({
      code: 'not_pending',
    });
    await roundIn(4);
    expect((await system.ended(id)).status).toBe('completed');
  });

  it('is acted on though somebody sends a message before it is found', async () => {
    const { id, question_id } = await asking('steered');
    await answeredByTheDead(id, question_id);
    await system.commands.message(system.caller, id, 'msg_1', 'Hurry.');
    await roundIn(4);
    expect((await system.ended(id)).status).toBe('completed');
  });

  it('leaves no mark behind where everything went well, or was refused', async () => {
    const { id, question_id } = await asking('clean');
    await expect(system.commands.answer(system.caller, id, 'q_none', 'x')).rejects.toMatchObject({ code: 'not_found' });
    expect((await loadRun(id))?.wake_since).toBeNull();
    await system.commands.answer(system.caller, id, question_id, 'This.');
    expect((await loadRun(id))?.wake_since).toBeNull();
    await system.ended(id);
  });
});

describe('[13] a run whose workflow is gone', () => {
  it('ended behind our back, fails as engine_lost and can be seen to', async () => {
    const { id } = await asking('terminated');
    await workflowOf(id).terminate('by an operator');
    await roundIn(1);
    expect((await system.get(id)).status).toBe('waiting_for_user');
    await roundIn(31);
    expect(await system.get(id)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_lost', retryable: true },
      pending_questions: [],
      completed_at: expect.any(String),
    });
    await expect(system.commands.message(system.caller, id, 'msg_1', 'x')).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('fails at once when somebody answers it', async () => {
    const { id, question_id } = await asking('gone-answered');
    await workflowOf(id).terminate('by an operator');
    await system.commands.answer(system.caller, id, question_id, 'This.');
    await roundIn(4);
    expect(await system.get(id)).toMatchObject({ status: 'failed', error: { code: 'engine_lost' } });
    expect((await loadRun(id))?.wake_since).toBeNull();
  });

  it('never existed though the log has begun: it is not started a second time', async () => {
    const id = await recorded('lost-engine');
    await (await logOf(id)).append(() => begun);
    await roundIn(31);
    expect(await system.get(id)).toMatchObject({ status: 'failed', error: { code: 'engine_lost' } });
    expect(system.model.count('lost-engine').calls).toBe(0);
  });
});

describe('a record', () => {
  it('that has not heard of the end is told', async () => {
    const id = await recorded('stale');
    await (await logOf(id)).append(() => [...begun, ended]);
    expect((await system.get(id)).status).toBe('queued');
    await roundIn(4);
    expect(await system.get(id)).toMatchObject({ status: 'completed', output: 'done' });
    await expect(workflowOf(id).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
  });

  it('of a run that waits is left as it is, however long', async () => {
    const { id, question_id } = await asking('patient');
    await roundIn(100_000);
    expect((await system.get(id)).status).toBe('waiting_for_user');
    await system.commands.answer(system.caller, id, question_id, 'This.');
    expect((await system.ended(id)).status).toBe('completed');
  });
});
