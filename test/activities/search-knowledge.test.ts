import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { addSource } from '../../store/knowledge.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { runCollection } from '../../store/run-record.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { newOwner } from '../people.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

let system: System;
let handbook: string;
beforeAll(async () => {
  system = await startSystem();
  const elsewhere = await createWorkspace(system.caller, { id: newId('ws'), name: 'Elsewhere' });
  const stranger = await newOwner('Stranger');
  const theirs = await createWorkspace(stranger, { id: newId('ws'), name: 'Theirs' });
  handbook = await add(system.workspace.id, 'Handbook', 'Intro\nThe valve opens at four bar.\nEnd');
  await add(system.workspace.id, 'Memo', 'The valve was replaced.');
  await add(elsewhere.id, 'Hidden', 'The valve of another workspace.');
  await add(theirs.id, 'Foreign', 'The valve of another organization.', stranger);
});
afterAll(() => system.stop());

async function add(workspace_id: string, name: string, text: string, caller = system.caller): Promise<string> {
  const source = { id: newId('kn'), workspace_id, name, kind: 'text', bytes: text.length, pages: [text] } as const;
  return (await addSource(caller, source)).id;
}

let made = 0;
const agentWith = (more: object) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, can_read: false, ...more }),
    id: newId('agt'),
  });

/** What the run that follows a script is offered, and what its search finds. */
async function searched(script: string, runId: string) {
  const facts = (await entriesAfter(runId, 0)).flatMap((entry) => entry.facts);
  const finished = facts.find((fact) => fact.kind === 'tool_finished');
  const offered = system.model.callsOf(script, 0)[0]?.request.tools ?? [];
  return { offered: JSON.stringify(offered), finished };
}

const SEARCH = [{ tool_calls: [{ name: 'search_knowledge', arguments: { query: 'valve bar' } }] }, { text: 'Done.' }];

async function searchBy(knowledge_sources: string[]) {
  const agent = await agentWith({ knowledge_sources });
  const script = `knowledge-${++made}`;
  system.model.script(script, SEARCH);
  const id = await system.start(script, { agent_id: agent.id, notebook_id: undefined });
  expect((await system.ended(id)).status).toBe('completed');
  return searched(script, id);
}

/** Each hands the search on to the next; the last may search all documents, for all its own definition says. */
async function searchBelow(...above: object[]) {
  const names = [...above, { knowledge_sources: ['*'] }].map((more) => ({ more, name: `tree-${++made}` }));
  let below: { id: string; name: string } | null = null;
  for (const { more, name } of names.toReversed()) {
    const hands = below && [
      { tool_calls: [{ name: `delegate_to_${below.name}`, arguments: { task: `[script:${below.name}] Look.` } }] },
      { text: 'Done.' },
    ];
    system.model.script(name, hands ?? SEARCH);
    const delegated_agents = below ? [{ agent_id: below.id }] : [];
    const { id } = await agentWith({ name, slug: name, delegated_agents, ...more });
    below = { id, name };
  }
  if (!below) throw new Error('a tree has a root');
  const root = await system.start(below.name, { agent_id: below.id, notebook_id: undefined });
  expect((await system.ended(root)).status).toBe('completed');
  const leaf = (await runCollection().find({ root_run_id: root }).toArray()).find(
    ({ line }) => line.length === names.length,
  );
  return searched(names.at(-1)?.name ?? '', leaf?._id ?? '');
}

describe('[3] search_knowledge', () => {
  it('finds what the workspace has, best first, for a run without a notebook', async () => {
    const { finished } = await searchBy(['*']);
    expect(finished).toMatchObject({
      ok: true,
      result: {
        results: [
          { source: 'Handbook', source_id: handbook, start_line: 1, end_line: 3, line: 2 },
          { source: 'Memo', line: 1 },
        ],
      },
    });
    expect(JSON.stringify(finished)).not.toMatch(/another (workspace|organization)/);
  });

  it('finds only in the sources the agent names', async () => {
    const { finished } = await searchBy([handbook]);
    expect(finished).toMatchObject({ result: { results: [{ source: 'Handbook' }] } });
  });

  it('is not offered to an agent without sources, and cannot be called by it', async () => {
    const { offered, finished } = await searchBy([]);
    expect(offered).not.toContain('search_knowledge');
    expect(finished).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });
});

describe('[15.9] below other agents search_knowledge', () => {
  const onlyHandbook = { ok: true, result: { results: [{ source: 'Handbook' }] } };

  it.each<[string, () => object[]]>([
    [
      'finds only what the agent above may search, where it passes on its own',
      () => [{ knowledge_sources: [handbook] }],
    ],
    [
      'finds no more than the root passes on, whatever is passed on in between',
      () => [{ grants: { knowledge_sources: [handbook] } }, { grants: { knowledge_sources: ['*'] } }],
    ],
  ])('%s', async (_what, above) => {
    expect((await searchBelow(...above())).finished).toMatchObject(onlyHandbook);
  });

  it('is not there where grants name no document, also where the agent above searches all itself', async () => {
    const { offered, finished } = await searchBelow({ knowledge_sources: ['*'], grants: { can_read: true } });
    expect(offered).not.toContain('search_knowledge');
    expect(finished).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });
});
