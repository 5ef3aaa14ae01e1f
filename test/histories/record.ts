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
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { AGENT, type System } from '../running-system.ts';
import { type History, historiesOf } from '../workflows/history.ts';

/** In everything that is said and read in the scenes: none of it may be found in a history. */
export const CONTENT = 'kumquat';

const read = { text: `Looking at the ${CONTENT}.`, tool_calls: [{ name: 'list_files' }] };
const done = { text: `Every ${CONTENT} is done.` };

type Scene = (system: System) => Promise<string>;

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
    const id = await play(system);
    await system.ended(id);
    await system.client.workflow.getHandle(`run:${id}`).result();
    return { name, histories: await historiesOf(system.client, id) };
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
