import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import type { Caller } from '../../domain/identity.ts';
import { changeAgent } from '../../store/agent-changes.ts';
import { createAgent, findAgent } from '../../store/agents.ts';
import { disconnectStore } from '../../store/connection.ts';
import { changeDefinition, deleteDefinition } from '../../store/definition-changes.ts';
import { createDefinition, findDefinition } from '../../store/definitions.ts';
import { newId } from '../../store/ids.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';

let caller: Caller;
let workspace_id: string;
beforeAll(async () => {
  await ownStore();
  caller = await newOwner();
  workspace_id = (await createWorkspace(caller, { id: newId('ws'), name: 'Tools' })).id;
});
afterAll(() => disconnectStore());
afterEach(() => vi.restoreAllMocks());

const newTool = () => {
  const name = newId('tool');
  const schema = { input: { type: 'object' }, output: {} };
  const content = { schema, entrypoint: 'builtin:search_knowledge', scopes: [], examples: [] };
  return createDefinition(caller, 'tool', { id: newId('tool'), workspace_id, name, description: '', content });
};
const newAgent = (tools: string[]) =>
  createAgent(caller, {
    ...createAgentBody.parse({ workspace_id, name: newId('user'), model: 'gpt-test', tools }),
    id: newId('agt'),
  });

/** Goes on once the other is through, or was kept out and has to try again. */
async function besides(other: Promise<unknown>): Promise<void> {
  const keptOut = vi.spyOn(mongoose.mongo.ClientSession.prototype, 'abortTransaction');
  await Promise.race([other, vi.waitFor(() => expect(keptOut).toHaveBeenCalled(), { timeout: 20_000 })]);
}

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

const AWAY = {
  'is deleted': (id: string) => deleteDefinition(caller, 'tool', id, null),
  'is switched off': (id: string) => changeDefinition(caller, 'tool', id, { is_active: false, content: {} }, null),
  'is renamed': (id: string) => changeDefinition(caller, 'tool', id, { name: newId('other'), content: {} }, null),
};
const SAVES = {
  'a new agent': (tool: string) => newAgent([tool]),
  'an agent that takes it up': async (tool: string) =>
    changeAgent(caller, (await newAgent([])).id, { tools: [tool] }, null),
};
const CASES = Object.keys(AWAY).flatMap((away) => Object.keys(SAVES).map((save) => [away, save] as const));
type Case = [keyof typeof AWAY, keyof typeof SAVES];

it.each(CASES as Case[])('[7] a tool that %s between look and write of %s is in use', async (away, save) => {
  const { id, name } = await newTool();
  const method = save === 'a new agent' ? 'insertOne' : 'replaceOne';
  const { prototype } = mongoose.mongo.Collection;
  const write = prototype[method];
  let other = Promise.resolve('never begun');
  vi.spyOn(prototype, method).mockImplementation(async function (this: mongoose.mongo.Collection, ...given: unknown[]) {
    if (this.collectionName === 'agents') {
      vi.mocked(prototype[method]).mockRestore();
      other = outcomeOf(AWAY[away](id));
      await besides(other);
    }
    return Reflect.apply(write, this, given);
  });
  const saved = await SAVES[save](name);
  expect(await other).toBe('in_use');
  expect(await findDefinition(caller, 'tool', id)).toMatchObject({ name, is_active: true });
  expect(await findAgent(caller, saved.id)).toMatchObject({ tools: [name] });
});

it.each(CASES as Case[])(
  '[7] a tool that %s, while %s comes between look and write, is not taken up',
  async (away, save) => {
    const { id, name } = await newTool();
    const { prototype } = mongoose.mongo.Collection;
    const count = prototype.countDocuments;
    let other = Promise.resolve('never begun');
    vi.spyOn(prototype, 'countDocuments').mockImplementationOnce(async function (
      this: mongoose.mongo.Collection,
      ...given
    ) {
      const users = await Reflect.apply(count, this, given);
      other = outcomeOf(SAVES[save](name));
      await besides(other);
      return users;
    });
    await AWAY[away](id);
    expect(await other).toBe('invalid_request');
  },
);
