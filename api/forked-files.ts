import { join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { lastStep } from '../domain/inheritance.ts';
import type { Entry } from '../domain/log-entry.ts';
import { agentOnCopy, boundOnCopy } from '../domain/rights.ts';
import { hasEnded } from '../domain/run.ts';
import { forkNotebookId } from '../domain/run-id.ts';
import { createForkNotebook, findNotebook } from '../store/notebooks.ts';
import type { RunRecord } from '../store/run-record.ts';
import { type Draft, filesOfFormer } from './begun-runs.ts';

export function demandEnded({ _id, status }: RunRecord): void {
  if (!hasEnded(status)) throw new Failure('not_ended', `The run ${_id} is ${status}.`, { status });
}

export function demandStep({ _id }: RunRecord, entries: Entry[], step: number): void {
  const last_step = lastStep(entries);
  if (step > last_step) throw new Failure('invalid_request', `The run ${_id} has no step ${step}.`, { last_step });
}

/** A tree of files of its own for a fork, as they were in a snapshot; who may use the original may use it. */
export async function filesForFork(
  caller: Caller,
  run: RunRecord,
  { id, agent, bound }: Pick<Draft, 'id' | 'agent' | 'bound'>,
  snapshot: string | null,
  forksDir: string,
): Promise<Pick<Draft, 'notebook' | 'files_from' | 'agent' | 'bound'>> {
  if (run.notebook_id === null || run.notebook_kind === null) return { notebook: null, files_from: null, agent, bound };
  // A checkout of its own anyway, and a branch of its own: the other run's is left alone.
  if (run.notebook_kind === 'git') {
    const { files_from = null } = filesOfFormer(run, snapshot);
    return { notebook: { id: run.notebook_id, kind: 'git' }, files_from, agent, bound };
  }
  const original = await findNotebook(caller, run.notebook_id);
  const notebook = await createForkNotebook(caller, {
    id: forkNotebookId(id),
    workspace_id: run.workspace_id,
    name: `${original.name} (fork ${id.slice(-6)})`,
    kind: 'folder',
    path: join(forksDir, id),
  });
  const copy = { of: [original.id], id: notebook.id };
  return {
    notebook,
    files_from: { notebook_id: original.id, snapshot },
    agent: agentOnCopy(agent, copy),
    bound: boundOnCopy(bound, copy),
  };
}
