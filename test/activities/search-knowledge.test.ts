import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { addSource } from '../../store/knowledge.ts';
import { entriesAfter } from '../../store/log-reading.ts';
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
async function searchBy(knowledge_sources: string[]) {
  const agent = await createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, can_read: false, knowledge_sources }),
    id: newId('agt'),
  });
  const script = `knowledge-${++made}`;
  system.model.script(script, [
    { tool_calls: [{ name: 'search_knowledge', arguments: { query: 'valve bar' } }] },
    { text: 'Done.' },
  ]);
  const id = await system.start(script, { agent_id: agent.id, notebook_id: undefined });
  expect((await system.ended(id)).status).toBe('completed');
  const facts = (await entriesAfter(id, 0)).flatMap((entry) => entry.facts);
  const finished = facts.find((fact) => fact.kind === 'tool_finished');
  const offered = system.model.callsOf(script, 0)[0]?.request.tools ?? [];
  return { offered: JSON.stringify(offered), finished };
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
