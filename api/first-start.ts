import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgentBody } from '../domain/agent.ts';
import { ensureBootstrapKey, ensureInstallation, ensureSample } from '../store/installation.ts';

const { workspace_id: _any, ...DEMO_ASSISTANT } = createAgentBody.parse({
  workspace_id: '',
  slug: 'demo-assistant',
  name: 'Demo assistant',
  description: 'Works on the sample notebook with the rule-based demo model, which is not an LLM.',
  model: 'demo/longhaul-demo',
  scope: { notebooks: ['*'] },
  can_write: true,
  can_create: true,
  visibility: 'workspace',
});

interface FirstStart {
  ownerEmail: string | undefined;
  bootstrapKey: string | undefined;
  /** What the sample notebook is a copy of, and where the copy goes; null where there is no demo model to use it. */
  sample: { from: string; folder: string } | null;
}

/** Everything a new installation needs to be of use; on an old one, and beside another process, it changes nothing. */
export async function prepareInstallation({ ownerEmail, bootstrapKey, sample }: FirstStart): Promise<void> {
  await ensureInstallation(ownerEmail);
  await ensureBootstrapKey(bootstrapKey);
  if (sample) await ensureSample(await copyOnce(sample.from, join(sample.folder, 'sample')), DEMO_ASSISTANT);
}

/** Copied aside and then renamed, so that a copy is whole or not there, whoever else is at it. */
async function copyOnce(from: string, to: string): Promise<string> {
  if (await exists(to)) return to;
  await mkdir(join(to, '..'), { recursive: true });
  const aside = await mkdtemp(join(to, '..', '.copying-'));
  await cp(from, aside, { recursive: true });
  await rename(aside, to).catch(async (error) => {
    await rm(aside, { recursive: true, force: true });
    if (!(await exists(to))) throw error;
  });
  return to;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
