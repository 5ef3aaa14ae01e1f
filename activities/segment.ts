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
  tools: ToolContext | null;
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

export function rulesOf(run: RunRecord, notebookKind: 'folder' | 'git' | null): Rules {
  return {
    budget: { max_iterations: run.budget_max_iterations, max_tokens: run.budget_max_tokens },
    confirmation: { policy: run.agent.confirmation, notebook_kind: notebookKind },
    tool: toolLookup(run.agent, notebookKind !== null),
    max_tries: MAX_TRIES,
  };
}

export interface RunNotebook {
  kind: 'folder' | 'git';
  files: NotebookFiles;
}

export async function openNotebook(run: RunRecord): Promise<RunNotebook | null> {
  if (run.notebook_id === null) return null;
  const notebook = await loadNotebook(run.org_id, run.notebook_id);
  if (!notebook) throw new Failure('no_notebook', `The notebook ${run.notebook_id} is gone.`);
  return { kind: notebook.kind, files: await NotebookFiles.at(notebook.path) };
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
