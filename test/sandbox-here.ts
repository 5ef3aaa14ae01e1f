import { inject } from 'vitest';
import { Sandbox } from '../activities/sandbox/sandbox.ts';
import type { SandboxSettings } from '../activities/sandbox/spec.ts';

/** The real one, with limits that a test reaches soon. `npm test` has gotten bubblewrap; without it this fails, and says so. */
export async function openTestSandbox(more: Partial<SandboxSettings> = {}): Promise<Sandbox> {
  const sandbox = await Sandbox.open({ bwrap: inject('BWRAP') || undefined, path: process.env.PATH ?? '', ...more });
  if (!sandbox.isConfined) throw new Error(`commands cannot be confined here: ${sandbox.confinement().why}`);
  return sandbox;
}
