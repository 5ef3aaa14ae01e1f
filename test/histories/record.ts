/**
 * The histories kept in this folder are replayed for ever by test/workflows/replay.test.ts, so that no change of the
 * workflow breaks a run that began before it. After a change that runs begun from now on will show in their histories:
 *
 *   LONGHAUL_RECORD=1 npm test -- test/workflows/replay
 *
 * writes the scenes below as they go today, beside those of earlier versions. Those are never recorded again and never
 * deleted: a change that cannot replay them needs `patched()`.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { beginScheduled } from '../../activities/scheduled-run.ts';
import { EditCommands } from '../../api/edit-commands.ts';
import { ReviewCommands } from '../../api/review-commands.ts';
import { ScheduleCommands } from '../../api/schedule-commands.ts';
import { SessionCommands } from '../../api/session-commands.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { workflowIdOf } from '../../domain/run-id.ts';
import { type CreateSchedule, createScheduleBody } from '../../domain/schedule.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { findRun } from '../../store/runs.ts';
import { createSchedule } from '../../store/schedules.ts';
import { SCHEDULED_RUN } from '../../workflows/messages.ts';
import { startAgentRun } from '../../workflows/start.ts';
import { gitNotebook, newRemote } from '../git-notebook.ts';
import { AGENT, quiet, type System } from '../running-system.ts';
import { workflowsOf } from '../workflows/defined.ts';
import { eventsOf, type History, historiesUnder } from '../workflows/history.ts';

/** In everything that is said and read in the scenes: none of it may be found in a history. */
export const CONTENT = 'kumquat';

const read = { text: `Looking at the ${CONTENT}.`, tool_calls: [{ name: 'list_files' }] };
const done = { text: `Every ${CONTENT} is done.` };

/** Gives the run whose workflow is kept, or that workflow itself where it is not the one of a run. */
type Scene = (system: System) => Promise<string | { workflowId: string }>;

function scheduleOf(system: System, script: string): CreateSchedule & { id: string } {
  system.model.script(script, [read, done]);
  const input = `[script:${script}] Peel the ${CONTENT}.`;
  const body = { agent_id: system.agent.id, cron_expression: '0 0 1 1 *', input, overlap: 'allow_all' };
  return { ...createScheduleBody.parse(body), id: newId('sch') };
}

async function until(system: System, id: string, status: string) {
  return system.until(id, (run) => run.status === status);
}

const SCENES: Record<string, Scene> = {
  async plain(system) {
    system.model.script('plain', [read, read, done]);
    return system.start('plain', { input: `[script:plain] Find the ${CONTENT}.` });
  },
  async confirmation(system) {
    const write = { name: 'write_file', arguments: { path: `/${CONTENT}.md`, content: `${CONTENT}\n` } };
    system.model.script('confirmation', [read, { tool_calls: [write] }, done]);
    const id = await system.start('confirmation');
    const { pending_actions } = await until(system, id, 'awaiting_confirmation');
    await system.commands.message(system.caller, id, 'msg_1', `Mind the ${CONTENT}.`);
    await system.commands.confirm(system.caller, id, {
      action_id: pending_actions[0]?.id ?? '',
      confirmed: true,
      reason: `It is a ${CONTENT}.`,
    });
    return id;
  },
  async clarification(system) {
    const ask = { name: 'clarify_user', arguments: { question: `Which ${CONTENT}?` } };
    system.model.script('clarification', [{ tool_calls: [ask] }, done]);
    const id = await system.start('clarification');
    const { pending_questions } = await until(system, id, 'waiting_for_user');
    await system.commands.answer(system.caller, id, pending_questions[0]?.id ?? '', `The red ${CONTENT}.`);
    return id;
  },
  async review(system) {
    const edit = { operation: 'insert', start_line: 1, new_text: `${CONTENT}\n` };
    const propose = (file_path: string) => ({
      tool_calls: [{ name: 'propose_edits', arguments: { edits: [{ file_path, ...edit }] } }],
    });
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, name: 'Editor', workspace_id: system.workspace.id }),
      id: newId('agt'),
    });
    const sessions = new SessionCommands(system.commands);
    const edits = new EditCommands(system.commands, sessions);
    const body = { notebook_id: system.notebook.id, context_rows: [] };
    const session = await sessions.create(system.caller, agent.id, body, newId, { kind: 'edits' });
    system.model.script('review', [propose('one.md'), propose('two.md')]);
    const job = { instruction: `[script:review] Do it. ${CONTENT}`, max_tool_calls: null };
    const { _id } = await sessions.startJob(system.caller, session._id, job, newId);
    await until(system, _id, 'awaiting_review');
    await new ReviewCommands(system.commands).review(system.caller, _id, { hunk_id: 'h_1', decision: 'reject', comment: CONTENT });
    await edits.rerun(system.caller, _id, `Not the ${CONTENT}.`, newId);
    await system.until(_id, ({ pending_reviews }) => pending_reviews[0]?.proposal === 2);
    await edits.apply(system.caller, _id, session._id, ['h_1'], newId);
    return _id;
  },
  async retry(system) {
    system.model.script('retry', [[{ fault: '429', retry_after_ms: 20 }, { fault: '500', message: CONTENT }, done]]);
    return system.start('retry');
  },
  async cancelled(system) {
    system.model.script('cancelled', [{ tool_calls: [{ name: 'clarify_user', arguments: { question: CONTENT } }] }]);
    const id = await system.start('cancelled');
    await until(system, id, 'waiting_for_user');
    await system.commands.cancel(system.caller, id);
    return id;
  },
  async failed(system) {
    system.model.script('failed', [{ fault: '401', message: `No ${CONTENT} for you.` }]);
    return system.start('failed');
  },
  async delegation(system) {
    const agent = (name: string, more: object) =>
      createAgent(system.caller, {
        ...createAgentBody.parse({ ...AGENT, ...more, name, workspace_id: system.workspace.id }),
        id: newId('agt'),
      });
    const helper = await agent('Helper', { slug: 'helper' });
    const lead = await agent('Lead', { delegated_agents: [{ agent_id: helper.id }] });
    const hand = { name: 'delegate_to_helper', arguments: { task: `[script:helper] Peel the ${CONTENT}.` } };
    system.model.script('delegation', [{ tool_calls: [hand, hand] }, done]);
    system.model.script('helper', [read, done]);
    return system.start('delegation', { agent_id: lead.id });
  },
  async paused(system) {
    system.model.script('paused', [read, read, done]);
    const release = system.model.hold('paused', 0);
    const id = await system.start('paused');
    await system.model.reached('paused', 0);
    await system.commands.pause(system.caller, id);
    release();
    await system.model.settled('paused', 1);
    await system.commands.unpause(system.caller, id);
    return id;
  },
  async definition(system) {
    const flows = workflowsOf(system);
    const inner = await flows.define([{ id: 'nap', type: 'wait', duration: 0.1 }], { name: `The ${CONTENT} nap` });
    const { id: workflow_id } = await flows.define([
      { id: 'look', type: 'tool', tool: 'list_files', retry: { max_attempts: 2, delay: 0.01 } },
      {
        id: 'each',
        type: 'map',
        over: '{{ input }}',
        max_concurrency: 2,
        steps: [{ id: 'peel', type: 'agent', agent: 'worker', input_mapping: '[script:peel] {{ item }}' }],
      },
      { id: 'sub', type: 'workflow', workflow_id: inner.id },
      { id: 'ok', type: 'approval', message: `Eat the ${CONTENT}?` },
      { id: 'gone', type: 'tool', tool: 'read_file', input_mapping: { path: `/no-${CONTENT}.md` }, retry: { max_attempts: 2, delay: 0.01 } },
    ]);
    system.model.script('peel', [read, done]);
    const id = await flows.start({ id: workflow_id }, [CONTENT, CONTENT, CONTENT]);
    const { pending_actions } = await until(system, id, 'awaiting_confirmation');
    await system.commands.confirm(system.caller, id, { action_id: pending_actions[0]?.id ?? '', confirmed: true });
    return id;
  },
  async 'definition-continued'(system) {
    const flows = workflowsOf(system);
    system.model.script('peel on', [done]);
    const peel = { id: 'peel', type: 'agent', agent: 'worker', input_mapping: '[script:peel on] {{ item }}' };
    const workflow = await flows.define([{ id: 'each', type: 'map', over: '{{ input }}', max_concurrency: 2, steps: [peel] }]);
    return flows.start(workflow, [CONTENT, CONTENT, CONTENT, CONTENT, CONTENT], {}, { maxHistory: 30 });
  },
  async checkout(system) {
    const remote = await newRemote({ [`${CONTENT}.md`]: `${CONTENT}\n` });
    const { id: notebook_id } = await gitNotebook(system, remote.url);
    const write = { name: 'write_file', arguments: { path: `/${CONTENT}.md`, content: `Two ${CONTENT}s\n` } };
    const ask = { name: 'clarify_user', arguments: { question: `Which ${CONTENT}?` } };
    system.model.script('checkout', [{ tool_calls: [write] }, { tool_calls: [ask] }, read, done]);
    const id = await system.start('checkout', { notebook_id });
    const { pending_questions } = await until(system, id, 'waiting_for_user');
    await system.commands.answer(system.caller, id, pending_questions[0]?.id ?? '', `The red ${CONTENT}.`);
    await system.ended(id);
    await remote.remove();
    return id;
  },
  /** The executor that had its files goes while it works. */
  async moved(system) {
    const remote = await newRemote({ [`${CONTENT}.md`]: `${CONTENT}\n` });
    const { id: notebook_id } = await gitNotebook(system, remote.url);
    system.model.script('moved', [read, read, read, done]);
    const release = system.model.hold('moved', 1);
    const id = await system.start('moved', { notebook_id });
    await system.model.reached('moved', 1);
    const { checkout } = await system.until(id, (run) => run.checkout?.state === 'ready');
    const gone = system.executors.find((executor) => executor.id === checkout?.executor)?.drain();
    await system.startExecutor();
    release();
    await Promise.all([gone, system.ended(id)]);
    await remote.remove();
    return id;
  },
  async scheduled(system) {
    const schedules = new ScheduleCommands(system.starter, quiet);
    const { id } = await schedules.create(system.caller, scheduleOf(system, 'scheduled'));
    const { run_id } = await schedules.fire(system.caller, id, undefined);
    // It is named when it is fired; its record is made a moment later, by the workflow.
    await vi.waitFor(() => findRun(system.caller, run_id ?? ''), { timeout: 30_000 });
    await system.ended(run_id ?? '');
    const { info } = await system.client.schedule.getHandle(`schedule:${id}`).describe();
    await schedules.remove(system.caller, id, null);
    return { workflowId: info.recentActions[0]?.action.workflow.workflowId ?? '' };
  },
  /** Somebody found its run recorded and not started, and was faster: it looks until that has ended. */
  async 'scheduled-followed'(system) {
    const { id: schedule_id } = await createSchedule(system.caller, scheduleOf(system, 'followed'));
    const workflowId = `scheduled:${schedule_id}-once`;
    const { org_id } = system.caller;
    const fired = { v: 1 as const, org_id, schedule_id, version: 1 };
    const scheduled_time = new Date().toISOString();
    const begun = await beginScheduled({ ...fired, workflow_id: workflowId, scheduled_time });
    if (!begun) throw new Error('nothing was begun');
    const release = system.model.hold('followed', 0);
    const { taskQueue, heartbeatMs, maxHistory } = system.starter;
    await startAgentRun(system.starter, begun);
    const args = [{ ...fired, heartbeat_ms: heartbeatMs, max_history: maxHistory }];
    await system.client.workflow.start(SCHEDULED_RUN, { taskQueue, workflowId, args });
    const looksAgain = async () =>
      (await historiesUnder(system.client, workflowId))
        .flatMap(eventsOf)
        .some((event) => event.timerStartedEventAttributes);
    await vi.waitUntil(looksAgain, { timeout: 30_000 });
    release();
    return { workflowId };
  },
  /** Deleted before it was time: nothing is begun. */
  async 'scheduled-in-vain'(system) {
    const workflowId = `scheduled:${newId('sch')}-once`;
    const { taskQueue, heartbeatMs, maxHistory } = system.starter;
    const input = { v: 1, org_id: system.caller.org_id, schedule_id: newId('sch'), version: 1 };
    const args = [{ ...input, heartbeat_ms: heartbeatMs, max_history: maxHistory }];
    await system.client.workflow.start(SCHEDULED_RUN, { taskQueue, workflowId, args });
    return { workflowId };
  },
  async continued(system) {
    system.model.script('continued', [read, read, read, read, read, done]);
    return system.start('continued', {}, { maxHistory: 30 });
  },
};

export interface Scenery {
  name: string;
  histories: History[];
}

/** Plays the scenes and gives their histories, in the order they were made. Segments of one step show the most. */
export async function playScenes(system: System): Promise<Scenery[]> {
  const played = Object.entries(SCENES).map(async ([name, play]) => {
    const came = await play(system);
    if (typeof came === 'string') await system.ended(came);
    const workflowId = typeof came === 'string' ? workflowIdOf(came) : came.workflowId;
    await system.client.workflow.getHandle(workflowId).result();
    return { name, histories: await historiesUnder(system.client, workflowId) };
  });
  return Promise.all(played);
}

/** Where and by whom it was recorded is nobody's business, and nothing a replay looks at. */
const anonymous = (json: string): string => json.replace(/("(?:identity|binaryChecksum|buildId)": )"[^"]*"/g, '$1"recorded"');

export async function keep({ name, histories }: Scenery): Promise<void> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const [index, history] of histories.entries()) {
    const part = histories.length > 1 ? `-${index + 1}` : '';
    await writeFile(new URL(`${version}-${name}${part}.json`, import.meta.url), `${anonymous(JSON.stringify(history, null, 1))}\n`);
  }
}
