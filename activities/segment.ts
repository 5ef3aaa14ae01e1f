import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import { delegateNamed, delegateTraits } from '../domain/delegation.ts';
import type { EditLimits } from '../domain/edits/limits.ts';
import { Failure } from '../domain/failures.ts';
import type { ModelChoice } from '../domain/hybrid.ts';
import { modelsOf, switchesModel } from '../domain/model-choice.ts';
import { outputCheck } from '../domain/output-schema.ts';
import { contextWindow } from '../domain/prices.ts';
import { mayListFolder, rightsVerdict } from '../domain/rights.ts';
import { runToolTraits, workflowToolNamed } from '../domain/run-tool.ts';
import { coversEvery } from '../domain/scope.ts';
import type { Rules } from '../domain/turn.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import type { Snapshots } from '../files/snapshots.ts';
import type { RunLog } from '../store/event-log.ts';
import { budgetOf } from '../store/new-run.ts';
import { loadNotebook } from '../store/notebook-upkeep.ts';
import type { FilesFrom, RunRecord } from '../store/run-record.ts';
import type { AgentSecrets } from './agent-secrets.ts';
import type { CallerRoles } from './caller-roles.ts';
import type { Checkout } from './checkout.ts';
import type { OpenCheckout } from './checkouts.ts';
import type { Embedder } from './models/embedder.ts';
import type { Providers } from './models/index.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { Setups } from './sandbox/setups.ts';
import { broughtTools, type ToolMakers } from './tools/brought.ts';
import type { ToolContext } from './tools/contract.ts';
import { ownTool, type Toolbox, toolbox } from './tools/index.ts';

/** Failed tries of one model call before the run fails there. */
const MAX_TRIES = 8;

/** Where nobody knows the window of a model, what nearly all of them have. */
const DEFAULT_WINDOW = 128_000;
/** Of the window: what is left must hold the next results, the answer, and the summary itself. */
const COMPACT_SHARE = 0.75;

/** One attempt at carrying a run forward: everything its steps need, read once. */
export interface Segment {
  run: RunRecord;
  agent: Agent;
  log: RunLog;
  rules: Rules;
  /** What the run can call. */
  toolbox: Toolbox;
  /** Of a run on a git notebook. */
  checkout: OpenCheckout | null;
  /** Being opened while the run is carried on; null where it has no notebook. */
  tools: Promise<ToolContext> | null;
  providerFor: Providers;
  /** What tells the meaning of text; without it words alone are searched for. */
  embedder?: Embedder | null | undefined;
  /** What a run may do is never more than its caller may at that moment. */
  callers: CallerRoles;
  secrets: AgentSecrets;
  /** Whether other runs draw on the same budget: then a call is reserved with all of them first. */
  shares: boolean;
  snapshots: Snapshots;
  /** Runs commands; without it there are none. */
  sandbox?: Sandbox | undefined;
  /** What set-up commands of notebooks have made. */
  setups?: Setups | undefined;
  /** Aborts what is under way: the run was cancelled, or the worker must go. */
  signal: AbortSignal;
  idleMs: number;
  /** The hour that requests are counted in. */
  rateWindowMs: number;
  /** Brings the run's record up to date now and then, without holding the run up; only when nothing is staged. */
  show: () => void;
  logger: Logger;
}

export const toolboxOf = ({ agent, notebook_kind, tools }: RunRecord, makers: ToolMakers): Toolbox =>
  toolbox(agent, notebook_kind, broughtTools(makers, tools, ownTool));

export function rulesOf(
  run: RunRecord,
  { find }: Toolbox,
  contextTokens: number | null,
  selected: ModelChoice | null = null,
): Rules {
  const { agent } = run;
  const [first] = modelsOf(agent);
  // A workflow has no model of its own.
  const window = contextTokens ?? (run.definition ? null : contextWindow(selected?.model ?? first)) ?? DEFAULT_WINDOW;
  return {
    budget: budgetOf(run),
    confirmation: { policy: agent.confirmation, notebook_kind: run.notebook_kind },
    tool: (name, args) => {
      const target = delegateNamed(run.delegates, name);
      if (target) return delegateTraits(target);
      const workflow = workflowToolNamed(run.tools, name);
      return workflow ? runToolTraits(workflow) : find(name, args);
    },
    edits: {
      max_tool_calls: run.edit_job?.max_tool_calls ?? null,
      max_schema_retries: run.edit_job?.max_schema_retries ?? agent.max_schema_retries,
    },
    output: run.output_schema ? { check: outputCheck(run.output_schema), max_retries: agent.max_schema_retries } : null,
    compact_at: Math.floor(window * COMPACT_SHARE),
    switches: (state) => switchesModel(agent, state),
    max_tries: MAX_TRIES,
  };
}

async function openNotebook(run: RunRecord, id: string, snapshots: Snapshots): Promise<NotebookFiles> {
  const notebook = await loadNotebook(run.org_id, id);
  if (!notebook) throw new Failure('no_notebook', `The notebook ${id} is gone.`, { retryable: false });
  try {
    if (run.files_from) await bringFiles(run, run.files_from, notebook.path, snapshots);
    return await NotebookFiles.at(notebook.path);
  } catch (cause) {
    const what = `The folder of the notebook ${id} cannot be opened.`;
    throw new Failure('no_notebook', what, { retryable: false }, { cause });
  }
}

/** A fork's own tree, made before its first step from where the other run was. */
async function bringFiles(run: RunRecord, from: FilesFrom, to: string, snapshots: Snapshots): Promise<void> {
  const { notebook_id } = from;
  const original = from.snapshot === null ? await loadNotebook(run.org_id, notebook_id) : null;
  const snapshot = from.snapshot ?? (original && (await snapshots.take(notebook_id, original.path, run._id)));
  if (snapshot) await snapshots.restore(notebook_id, snapshot, to);
}

/** Null where the run has no notebook. */
export function filesOf(run: RunRecord, snapshots: Snapshots): Promise<NotebookFiles> | null {
  if (run.notebook_id === null || run.notebook_kind === 'git') return null;
  const files = openNotebook(run, run.notebook_id, snapshots);
  // Looked at where its failure can end the run; until then it must not count as unhandled.
  files.catch(() => undefined);
  return files;
}

export function toolContext(
  run: Pick<RunRecord, 'agent' | 'notebook_id' | 'bound'>,
  files: NotebookFiles,
  signal: AbortSignal,
  checkout: Checkout | null = null,
  limits?: EditLimits,
): ToolContext {
  const { agent, bound } = run;
  const notebookId = run.notebook_id ?? '';
  const refuse = (operation: string, target: string, rule: string): never => {
    throw new Failure('scope_violation', `${agent.name} may not ${operation} ${target}: ${rule}.`, {
      scope_violation: true,
    });
  };
  const guard: ToolContext['guard'] = (operation, path) => {
    const verdict = rightsVerdict(agent, bound, notebookId, operation, path);
    if (!verdict.allowed) refuse(operation, path ?? 'the notebook', verdict.rule);
  };
  return {
    agent,
    notebook_id: notebookId,
    files,
    checkout,
    signal,
    ...(limits ? { limits } : {}),
    guard,
    guardFolder: (folder) => {
      guard('read', null);
      if (!mayListFolder(agent, bound, folder)) refuse('list', folder, 'no folder rule covers anything in it');
    },
    seesEvery: (what) => [agent.scope, ...bound.scopes].every((scope) => coversEvery(what, scope)),
    may: (operation, path) => rightsVerdict(agent, bound, notebookId, operation, path).allowed,
  };
}
