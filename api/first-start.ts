import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CreateAgent, createAgentBody } from '../domain/agent.ts';
import { type BuiltinModels, ensureBuiltins } from '../store/builtin-agents.ts';
import { ensureBootstrapKey, ensureInstallation, ensureSample } from '../store/installation.ts';

function demoAgent(more: Partial<CreateAgent> & { name: string }) {
  const { workspace_id: _any, ...agent } = createAgentBody.parse({
    workspace_id: '',
    model: 'demo/longhaul-demo',
    scope: { notebooks: ['*'] },
    // Nobody is charged for it, and it is there to be played with.
    max_requests_per_hour: null,
    visibility: 'workspace',
    ...more,
  });
  return agent;
}

const DEMO_ASSISTANT = demoAgent({
  slug: 'demo-assistant',
  name: 'Demo assistant',
  description: 'Works on the sample notebook with the rule-based demo model, which is not an LLM.',
  can_write: true,
  can_create: true,
  // Waits for a person, like every change.
  can_delete: true,
});

const DEMO_REVIEWER = demoAgent({
  slug: 'demo-reviewer',
  name: 'Demo reviewer',
  description: 'Reads and counts for the demo assistant, with the rule-based demo model, which is not an LLM.',
});

interface FirstStart {
  ownerEmail: string | undefined;
  bootstrapKey: string | undefined;
  /** What the sample notebook is a copy of, and where the copy goes; null where there is no demo model to use it. */
  sample: { from: string; folder: string } | null;
  /** Of the agents that every workspace has. */
  builtinModels: BuiltinModels;
}

/** Everything a new installation needs to be of use; on an old one, and beside another process, it changes nothing. */
export async function prepareInstallation({
  ownerEmail,
  bootstrapKey,
  sample,
  builtinModels,
}: FirstStart): Promise<void> {
  await ensureInstallation(ownerEmail);
  await ensureBootstrapKey(bootstrapKey);
  if (sample)
    await ensureSample(await copyOnce(sample.from, join(sample.folder, 'sample')), DEMO_ASSISTANT, DEMO_REVIEWER);
  await ensureBuiltins(builtinModels);
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
