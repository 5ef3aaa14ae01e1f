import type { NewEvidence } from '../../domain/evidence.ts';
import type { Fact } from '../../domain/facts.ts';
import { Failure } from '../../domain/failures.ts';
import type { CallState } from '../../domain/run-state.ts';
import { keepEvidence } from '../../store/evidence.ts';
import type { Segment } from '../segment.ts';
import type { EffectTool, OutsideContext, OutsideTool, Preview, ToolContext } from '../tools/contract.ts';
import { keyOf } from './call-outcome.ts';
import { OutputWriter } from './output-writer.ts';

export const needNotebook = async (tools: Segment['tools']): Promise<ToolContext> => {
  if (!tools) throw new Failure('no_notebook', 'The run has no notebook.');
  return tools;
};

const epochOf = ({ checkout }: Segment): { epoch?: number } => (checkout ? { epoch: checkout.epoch } : {});

/** Begun in a checkout that is no more, it has not happened to the files of this one, which is as it was before it. */
const isHere = ({ checkout }: Segment, { epoch = 0 }: CallState): boolean => !checkout || epoch === checkout.epoch;

/** What a person has seen of it. Logs from before arguments were shown as changed hold approvals of what nobody saw. */
const approvalOf = ({ action, decision }: CallState): Preview | undefined =>
  action && (action.revised || decision?.arguments == null) ? action : undefined;

/** Prepared, said to the log, then done: from the intent on, whoever comes after a crash can tell what happened. */
export async function performOnce(
  segment: Segment,
  turn: number,
  call: CallState,
  tool: EffectTool,
  input: unknown,
): Promise<unknown> {
  const context = await needNotebook(segment.tools);
  const key = keyOf(segment, turn, call);
  const approved = approvalOf(call);
  const prepared = call.intent && call.intent.effect !== 'outside' && isHere(segment, call) ? call.intent : null;
  const intent = prepared ?? (await tool.prepare(input, context, key, approved));
  // As they were before the first change; after a crash in the middle of it, nobody knows any more.
  if (segment.log.state.files === null && !call.intent) segment.log.stage(await keepFiles(segment));
  // Also where it was begun before: an effect that takes its worker down each time must not be tried for ever.
  segment.log.stage([{ kind: 'tool_started', turn, call_id: call.call.tool_call_id, intent, ...epochOf(segment) }]);
  await segment.log.flush();
  return tool.perform(intent, context);
}

async function keepEvidenceOf(
  { run, secrets, logger }: Segment,
  call: { key: string; call_id: string },
  evidence: NewEvidence,
): Promise<string | null> {
  try {
    await keepEvidence({ ...call, run_id: run._id }, secrets.scrubber.value(evidence));
    return call.key;
  } catch (err) {
    // What was done was done: its result is not given up for it.
    logger.error({ err, call_id: call.call_id }, 'the evidence of a call was not kept');
    return null;
  }
}

export const outsideContext = (
  segment: Segment,
  turn: number,
  call: CallState,
  output: (text: string) => void = () => undefined,
): OutsideContext => ({
  agent: segment.agent,
  org_id: segment.run.org_id,
  workspace_id: segment.run.workspace_id,
  run_id: segment.run._id,
  key: keyOf(segment, turn, call),
  at: (call.intent?.effect === 'outside' && call.intent.at) || new Date().toISOString(),
  signal: segment.signal,
  notebook: () => needNotebook(segment.tools),
  keepSecret: (values) => segment.secrets.learn(values),
  github: () => segment.secrets.github(segment.run.workspace_id),
  output,
  call_id: call.call.tool_call_id,
  sandbox: segment.sandbox,
  setups: segment.setups,
  keep: (evidence, part) => {
    const key = [keyOf(segment, turn, call), ...(part ? [part] : [])].join('-');
    return keepEvidenceOf(segment, { key, call_id: call.call.tool_call_id }, evidence);
  },
});

/** Told to the log, then done; begun before and never heard of, it is found out about and not simply done again. */
export async function actOnce(
  segment: Segment,
  turn: number,
  call: CallState,
  tool: OutsideTool,
  input: unknown,
): Promise<unknown> {
  const writer = new OutputWriter(
    { run_id: segment.run._id, turn, call_id: call.call.tool_call_id },
    () => segment.secrets.scrubber.stream(),
    segment.logger,
  );
  const context = outsideContext(segment, turn, call, (text) => writer.write(text));
  const act = () => tool.act(input, context).finally(() => writer.end());
  if (!tool.effect) return act();
  if (call.intent && !tool.idempotent) {
    const found = (await tool.findOut?.(input, context)) ?? { state: 'unknown' };
    if (found.state === 'done') return found.result;
    if (found.state === 'unknown') {
      throw new Failure('interrupted', `${tool.name} was cut off, and nobody knows how far it came.`, {
        interrupted: true,
      });
    }
  }
  if (segment.log.state.files === null && !call.intent) segment.log.stage(await keepFiles(segment));
  const intent = { effect: 'outside', key: context.key, at: context.at } as const;
  segment.log.stage([{ kind: 'tool_started', turn, call_id: call.call.tool_call_id, intent, ...epochOf(segment) }]);
  await segment.log.flush();
  return act();
}

/**
 * Of a notebook that others change too, a fork gets what this run saw; without git there is no snapshot, and no harm. Of
 * a checkout it is also what the next executor begins with, so that a step without it is not complete.
 */
export async function keepFiles({ run, log, tools, snapshots, checkout, logger }: Segment): Promise<Fact[]> {
  if (checkout) {
    const snapshot = await checkout.keep();
    return snapshot === log.state.files ? [] : [{ kind: 'files_kept', snapshot, epoch: checkout.epoch }];
  }
  if (run.notebook_id === null || run.notebook_kind !== 'folder') return [];
  const { files } = await needNotebook(tools);
  try {
    return [{ kind: 'files_kept', snapshot: await snapshots.take(run.notebook_id, files.root, run._id) }];
  } catch (err) {
    logger.warn({ err }, 'the files of a run were not kept for forks');
    return [];
  }
}
