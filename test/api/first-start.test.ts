import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareInstallation } from '../../api/first-start.ts';
import { createIdentity } from '../../api/identity.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent, listAgents } from '../../store/agents.ts';
import { revokeApiKey } from '../../store/api-keys.ts';
import { callerOf } from '../../store/callers.ts';
import { disconnectStore } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { ensureBootstrapKey, ensureCliKey, OWNER } from '../../store/installation.ts';
import { listNotebooks } from '../../store/notebooks.ts';
import { findUser } from '../../store/users.ts';
import { createWorkspace, listWorkspaces } from '../../store/workspaces.ts';
import { ownStore } from '../own-store.ts';

const page = { limit: 100 };
const identity = createIdentity({ secretKey: 'a secret key for tests only' });
const isLetIn = (token: string): Promise<boolean> => {
  identity.forget();
  return identity.identify(token).then(
    () => true,
    () => false,
  );
};
const owner = async () => {
  const caller = await callerOf(OWNER);
  if (!caller) throw new Error('there is no owner');
  return caller;
};

let from: string;
let folder: string;
beforeAll(async () => {
  await ownStore();
  from = await mkdtemp(join(tmpdir(), 'longhaul-first-start-'));
  folder = await mkdtemp(join(tmpdir(), 'longhaul-first-start-'));
  await writeFile(join(from, 'welcome.md'), '# Welcome\n');
});
afterAll(async () => {
  await disconnectStore();
  for (const path of [from, folder]) await rm(path, { recursive: true });
});

const start = (more = {}) =>
  prepareInstallation({
    ...{ ownerEmail: undefined, bootstrapKey: undefined, sample: { from, folder } },
    builtinModels: { editor: undefined, dispatcher: undefined },
    ...more,
  });

describe('the first start', () => {
  it('makes owner, workspace, notebook and agent once, however many processes start at once and later', async () => {
    await Promise.all(Array.from({ length: 6 }, () => start()));
    await start();
    const caller = await owner();
    expect(caller.is_owner).toBe(true);
    const [workspaces, notebooks, agents] = await Promise.all([
      listWorkspaces(caller, page),
      listNotebooks(caller, undefined, page),
      listAgents(caller, undefined, page),
    ]);
    expect(workspaces.items.map(({ name }) => name)).toEqual(['Sample workspace']);
    expect(notebooks.items.map(({ path }) => path)).toEqual([join(folder, 'sample')]);
    expect(agents.items).toMatchObject([
      { slug: 'demo-assistant', is_builtin: true, can_write: true, can_create: true, scope: { notebooks: ['*'] } },
      { slug: 'demo-reviewer', is_builtin: true, can_write: false, can_create: false },
    ]);
    const [assistant, reviewer] = agents.items;
    expect(assistant?.delegated_agents).toEqual([{ agent_id: reviewer?.id }]);
    expect(await readdir(folder)).toEqual(['sample']);
    expect(await readFile(join(folder, 'sample', 'welcome.md'), 'utf8')).toBe('# Welcome\n');
  });

  it('[1] has the built-in agents in all workspaces there are, once, with the model that is set by then', async () => {
    const caller = await owner();
    const builtins = async (workspaceId?: string) =>
      (await listAgents(caller, workspaceId, page)).items
        .filter(({ name }) => ['Editor', 'Dispatcher'].includes(name))
        .map(({ slug, model, is_builtin }) => [slug, model, is_builtin]);
    const { id } = await createWorkspace(caller, { id: newId('ws'), name: 'Older' });
    const own = createAgentBody.parse({ workspace_id: id, name: 'Mine', slug: 'editor', model: 'gpt-test' });
    await createAgent(caller, { ...own, id: newId('agt') });
    expect(await builtins()).toEqual([]);
    const both = (model: string) => start({ builtinModels: { editor: model, dispatcher: model } });
    await Promise.all([both('gpt-a'), both('gpt-a')]);
    expect(await builtins(id)).toEqual([
      ['longhaul-editor', 'gpt-a', true],
      ['dispatcher', 'gpt-a', true],
    ]);
    await both('gpt-b');
    expect((await builtins()).map(([slug, model]) => `${slug} ${model}`).sort()).toEqual([
      ...['dispatcher gpt-b', 'dispatcher gpt-b', 'editor gpt-b', 'longhaul-editor gpt-b'],
    ]);
  });

  it('never overwrites what people have made of the sample', async () => {
    await writeFile(join(folder, 'sample', 'welcome.md'), 'Mine now.\n');
    await start();
    expect(await readFile(join(folder, 'sample', 'welcome.md'), 'utf8')).toBe('Mine now.\n');
  });

  it('takes the operator’s word on the address of the owner, at later starts too', async () => {
    expect((await findUser(await owner(), OWNER)).email).toBe('owner@longhaul.local');
    await start({ ownerEmail: 'Boss@Example.org' });
    await start();
    expect((await findUser(await owner(), OWNER)).email).toBe('boss@example.org');
  });
});

describe('the bootstrap key', () => {
  it('lets in for as long as it is given, and a new one takes the place of the old', async () => {
    const [one, two] = ['the first bootstrap key', 'the second bootstrap key'];
    await ensureBootstrapKey(one);
    expect(await isLetIn(one)).toBe(true);
    await ensureBootstrapKey(two);
    expect([await isLetIn(one), await isLetIn(two)]).toEqual([false, true]);
    await ensureBootstrapKey(undefined);
    expect(await isLetIn(two)).toBe(false);
    await ensureBootstrapKey(two);
    expect(await isLetIn(two)).toBe(true);
  });
});

describe('the key of the command line', () => {
  it('is the same for all processes of a machine, and another after it was revoked', async () => {
    const make = (machine = 'here') => ensureCliKey('a secret key for tests only', machine);
    const [one, again] = await Promise.all([make(), make()]);
    expect(again).toBe(one);
    expect(await make('there')).not.toBe(one);
    expect(await isLetIn(one)).toBe(true);
    await revokeApiKey(await owner(), one.replace(/^lh_(\w{26})_.*$/, 'key_$1'));
    const next = await make();
    expect(next).not.toBe(one);
    expect([await isLetIn(one), await isLetIn(next)]).toEqual([false, true]);
  });
});
