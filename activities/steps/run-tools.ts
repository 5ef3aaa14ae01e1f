import type { Fact } from '../../domain/facts.ts';
import { Failure, type FailureCode, isFailure, type RunError, runError } from '../../domain/failures.ts';
import { resultText } from '../../domain/request-size.ts';
import type { CallState, RunState } from '../../domain/run-state.ts';
import type { Segment } from '../segment.ts';
import type { EffectTool, ToolContext } from '../tools/contract.ts';
import { resolveCall } from '../tools/index.ts';

type Finished = Extract<Fact, { kind: 'tool_finished' }>;

export function told(error: unknown): RunError {
  if (isFailure(error)) return runError(error.code, error.message, false, error.details);
  // What the file system says names places of the host, which are none of the model's business.
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return runError('tool_failed', `The file system refused it (${error.code}).`);
  }
  return runError('tool_failed', error instanceof Error ? error.message : String(error));
}

/** By scope, by a person, or because the agent has no such tool. */
const REFUSED = new Set<FailureCode>(['scope_violation', 'denied', 'unknown_tool']);

/** Neither is a result of the call: the log is lost to this attempt, or to everybody for now. */
export const isOfLog = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'StaleAttempt' || error.name.startsWith('Mongo'));

async function finish(
  turn: number,
  call: CallState,
  target: string | null,
  work: () => Promise<unknown>,
): Promise<Finished> {
  const begun = Date.now();
  const done = { kind: 'tool_finished', turn, call_id: call.call.tool_call_id, name: call.call.name, target } as const;
  const times = () => ({ started_at: new Date(begun).toISOString(), duration_ms: Date.now() - begun });
  try {
    return { ...done, ok: true, result: (await work()) ?? null, error: null, was_allowed: true, ...times() };
  } catch (error) {
    if (isOfLog(error)) throw error;
    const failure = told(error);
    const was_allowed = !REFUSED.has(failure.code);
    return { ...done, ok: false, result: null, error: failure, was_allowed, ...times() };
  }
}

/** A call that cannot be made at all: its failure is its result. */
export const failCall = (turn: number, call: CallState, error: unknown): Promise<Finished> =>
  finish(turn, call, targetOf(call), () => Promise.reject(error));

export const targetOf = (call: CallState): string | null => {
  const { path, file_path, prefix } = call.call.arguments;
  const target = path ?? file_path ?? prefix;
  return typeof target === 'string' ? target.slice(0, 1000) : null;
};

/** The call as it was allowed: a person may have changed its arguments. */
const allowed = (call: CallState) => ({ ...call.call, arguments: call.decision?.arguments ?? call.call.arguments });

export const needNotebook = async (tools: Segment['tools']): Promise<ToolContext> => {
  if (!tools) throw new Failure('no_notebook', 'The run has no notebook.');
  return tools;
};

function refuseDenied(call: CallState): void {
  if (call.decision?.confirmed !== false) return;
  const why = call.decision.reason ? ` The reason given: ${call.decision.reason}` : '';
  throw new Failure('denied', `${call.decision.by.name} refused this action.${why}`, {
    denied: true,
    reason: call.decision.reason,
  });
}

/** Prepared, said to the log, then done: from the intent on, whoever comes after a crash can tell what happened. */
async function performOnce(
  segment: Segment,
  turn: number,
  call: CallState,
  tool: EffectTool,
  input: unknown,
): Promise<unknown> {
  const context = await needNotebook(segment.tools);
  const key = `${segment.run._id}-${turn}-${call.call.tool_call_id.replace(/[^\w-]/g, '_').slice(0, 60)}`;
  // What a person has changed is theirs: only what was shown is held to what was shown.
  const approved = call.action && !call.decision?.arguments ? call.action : undefined;
  const intent = call.intent ?? (await tool.prepare(input, context, key, approved));
  // As they were before the first change; after a crash in the middle of it, nobody knows any more.
  if (segment.log.state.files === null && !call.intent) segment.log.stage(await keepFiles(segment));
  // Also where it was begun before: an effect that takes its worker down each time must not be tried for ever.
  segment.log.stage([{ kind: 'tool_started', turn, call_id: call.call.tool_call_id, intent }]);
  await segment.log.flush();
  return tool.perform(intent, context);
}

/** Of a notebook that others change too, a fork gets what this run saw. Without git there is no snapshot, and no harm. */
async function keepFiles({ run, tools, snapshots, logger }: Segment): Promise<Fact[]> {
  if (run.notebook_id === null || run.notebook_kind !== 'folder') return [];
  const { files } = await needNotebook(tools);
  try {
    return [{ kind: 'files_kept', snapshot: await snapshots.take(run.notebook_id, files.root, run._id) }];
  } catch (err) {
    logger.warn({ err }, 'the files of a run were not kept for forks');
    return [];
  }
}

async function runOne(segment: Segment, turn: number, call: CallState): Promise<Finished> {
  return finish(turn, call, targetOf(call), async () => {
    refuseDenied(call);
    const { tool, input } = resolveCall(segment.agent, segment.tools !== null, allowed(call));
    if (tool.asks) return { answer: call.answer };
    if (tool.effect) return performOnce(segment, turn, call, tool, input);
    if ('look' in tool) {
      const { org_id, workspace_id } = segment.run;
      const resultOf = (callId: string) => resultOfCall(segment.log.state, callId);
      return tool.look(input, { agent: segment.agent, org_id, workspace_id, signal: segment.signal, resultOf });
    }
    return tool.run(input, await needNotebook(segment.tools));
  });
}

function resultOfCall(state: RunState, callId: string): string | null {
  const call = state.turns.flatMap((turn) => turn.calls).find(({ call }) => call.tool_call_id === callId);
  return call?.finished ? resultText(call) : null;
}

const isEffect = (segment: Segment, call: CallState): boolean => segment.rules.tool(call.call.name)?.effect === true;

/** Independent reads go side by side and are appended together; effects go one by one, in the order they were asked for. */
export async function runTools(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const { log } = segment;
  const reads = calls.filter((call) => !isEffect(segment, call));
  if (reads.length > 0) {
    // The answer that asked for them may still be on its way to the log: only an effect must wait for it.
    const stored = log.flush();
    const [results] = await Promise.all([Promise.all(reads.map((call) => runOne(segment, turn, call))), stored]);
    log.stage(results);
  }
  for (const call of calls.filter((call) => isEffect(segment, call))) {
    if (segment.signal.aborted) return;
    await log.flush();
    const result = await runOne(segment, turn, call);
    log.stage([result, ...(result.ok ? await keepFiles(segment) : [])]);
    await log.flush();
  }
}
