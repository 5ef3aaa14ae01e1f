import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import { scopeVerdict } from '../domain/scope.ts';
import type { Rules } from '../domain/turn.ts';
import type { RunLog } from '../store/event-log.ts';
import { loadNotebook } from '../store/notebook-upkeep.ts';
import type { RunRecord } from '../store/run-record.ts';
import { NotebookFiles } from './files/notebook-files.ts';
import type { ModelProvider } from './models/contract.ts';
import type { ToolContext } from './tools/contract.ts';
import { toolLookup } from './tools/index.ts';

/** Failed tries of one model call before the run fails there. */
const MAX_TRIES = 8;

/** One attempt at carrying a run forward: everything its steps need, read once. */
export interface Segment {
  run: RunRecord;
  agent: Agent;
  log: RunLog;
  rules: Rules;
  /** Being opened while the run is carried on; null where it has no notebook. */
  tools: Promise<ToolContext> | null;
  provider: ModelProvider;
  /** The model's name as its provider knows it. */
  model: string;
  /** Aborts what is under way: the run was cancelled, or the worker must go. */
  signal: AbortSignal;
  idleMs: number;
  /** Brings the run's record up to date now and then, without holding the run up; only when nothing is staged. */
  show: () => void;
  logger: Logger;
}

export function rulesOf(run: RunRecord): Rules {
  return {
    budget: { max_iterations: run.budget_max_iterations, max_tokens: run.budget_max_tokens },
    confirmation: { policy: run.agent.confirmation, notebook_kind: run.notebook_kind },
    tool: toolLookup(run.agent, run.notebook_id !== null),
    max_tries: MAX_TRIES,
  };
}

async function openNotebook(orgId: string, id: string): Promise<NotebookFiles> {
  const notebook = await loadNotebook(orgId, id);
  if (!notebook) throw new Failure('no_notebook', `The notebook ${id} is gone.`, { retryable: false });
  return NotebookFiles.at(notebook.path).catch((cause: unknown) => {
    throw new Failure(
      'no_notebook',
      `The folder of the notebook ${id} cannot be opened.`,
      { retryable: false },
      { cause },
    );
  });
}

/** Null where the run has no notebook. */
export function filesOf(run: RunRecord): Promise<NotebookFiles> | null {
  if (run.notebook_id === null) return null;
  const files = openNotebook(run.org_id, run.notebook_id);
  // Looked at where its failure can end the run; until then it must not count as unhandled.
  files.catch(() => undefined);
  return files;
}

export function toolContext(
  run: Pick<RunRecord, 'agent' | 'notebook_id'>,
  files: NotebookFiles,
  signal: AbortSignal,
): ToolContext {
  const { agent } = run;
  const notebookId = run.notebook_id ?? '';
  return {
    agent,
    notebook_id: notebookId,
    files,
    signal,
    guard: (operation, path) => {
      const verdict = scopeVerdict(agent, notebookId, operation, path);
      if (verdict.allowed) return;
      const target = path === null ? 'the notebook' : path;
      throw new Failure('scope_violation', `${agent.name} may not ${operation} ${target}: ${verdict.rule}.`, {
        scope_violation: true,
      });
    },
    may: (operation, path) => scopeVerdict(agent, notebookId, operation, path).allowed,
  };
}
