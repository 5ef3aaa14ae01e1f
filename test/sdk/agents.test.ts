import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../sdk/client.ts';
import { type Api, startApi } from '../api/running-api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('[12] an agent is made from a template, changed on the version that was read, exported, imported and deleted', async () => {
  const { agents } = createClient({ url: api.url, apiKey: api.ownerKey });
  const workspace_id = await api.workspace();
  const agent = await agents.create({ workspace_id, name: 'Own', model: 'gpt-4o', template: 'summarizer' });
  const { id, version } = agent;
  expect(agent.can_create).toBe(true);
  expect(await agents.change(id, { description: 'Mine' }, { version })).toMatchObject({
    description: 'Mine',
    version: 2,
  });
  const late = { status: 412, code: 'version_conflict' };
  await expect(agents.change(id, { description: 'Late' }, { version })).rejects.toMatchObject(late);
  await expect(agents.delete(id, { version })).rejects.toMatchObject(late);
  const again = await agents.import({ workspace_id, yaml: await agents.export(id), binding: { name: 'Again' } });
  expect(again).toMatchObject({ name: 'Again', description: 'Mine', can_create: true });
  expect((await agents.activate(id, false)).is_active).toBe(false);
  await agents.delete(id);
  await expect(agents.get(id)).rejects.toMatchObject({ status: 404 });
});
