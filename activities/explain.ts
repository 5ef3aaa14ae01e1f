import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { isFailure } from '../domain/failures.ts';
import { parseModel } from '../domain/model.ts';
import { usdOf } from '../domain/money.ts';
import { costMicros } from '../domain/prices.ts';
import {
  type ExplainInput,
  type ExplainOutcome,
  explainingModel,
  type Rationale,
  rationalePrompt,
  STEPS_AFTER,
  STEPS_BEFORE,
} from '../domain/rationale.ts';
import { entrySteps } from '../domain/trace.ts';
import { entriesAroundStep } from '../store/log-reading.ts';
import { keepRationale, loadRationale } from '../store/rationales.ts';
import { loadRun } from '../store/run-upkeep.ts';
import { type ActivityDeps, secretsOf } from './advance.ts';
import { ownAccess } from './agent-secrets.ts';

const MAX_TOKENS = 1_000;
const RETRY_MS = 1_000;

type Deps = Pick<ActivityDeps, 'providerFor' | 'secrets' | 'secretKeys' | 'modelIdleMs' | 'heartbeatMs'>;

async function ask({ run_id, step }: ExplainInput, deps: Deps, signal: AbortSignal): Promise<Rationale | null> {
  const run = await loadRun(run_id);
  if (!run) return null;
  const secrets = secretsOf(deps, run);
  const entries = await entriesAroundStep(run_id, step, STEPS_BEFORE, STEPS_AFTER);
  const steps = entries.flatMap(entrySteps);
  const messages = rationalePrompt(run.input, steps, step);
  if (!messages) return null;
  const model = explainingModel(run.agent, steps, step);
  const ref = parseModel(model);
  const own = ownAccess(await secrets.forCall(), ref.provider);
  const request = { model: ref.model, messages: secrets.scrubber.value(messages), tools: [], max_tokens: MAX_TOKENS };
  const answer = await deps.providerFor(ref, own).streamStep(request, { signal, idleMs: deps.modelIdleMs });
  const { input, output, cached } = answer.raw_usage;
  const micros = costMicros(model, answer.raw_usage);
  return {
    run_id,
    step_number: step,
    text: secrets.scrubber.text(answer.assistant_message).trim() || '(The model said nothing.)',
    model,
    tokens: { input, output, cached },
    cost_usd: usdOf(micros),
    created_at: new Date().toISOString(),
  };
}

/** The outcome goes into the history of the workflow. */
function failed(error: unknown, clean: (text: string) => string): ExplainOutcome {
  if (!isFailure(error)) throw error;
  const { retryable, retry_after_ms } = error.details;
  const after = typeof retry_after_ms === 'number' ? retry_after_ms : RETRY_MS;
  return {
    is: 'failed',
    code: error.code,
    message: clean(error.message).slice(0, 2_000),
    retry_after_ms: retryable === true ? after : null,
  };
}

/** One model call at most: what is stored is never bought again, and an attempt in this process joins the one under way. */
export function createExplain(deps: Deps): (input: ExplainInput) => Promise<ExplainOutcome> {
  const underWay = new Map<string, Promise<Rationale | null>>();

  const join = (input: ExplainInput, signal: AbortSignal): Promise<Rationale | null> => {
    const key = `${input.run_id}:${input.step}`;
    const known = underWay.get(key);
    if (known) return known;
    const fresh = ask(input, deps, signal);
    underWay.set(key, fresh);
    const forget = () => underWay.delete(key);
    fresh.then(forget, forget);
    return fresh;
  };

  return async (input) => {
    if (await loadRationale(input.run_id, input.step)) return { is: 'explained' };
    const beat = setInterval(() => heartbeat(), deps.heartbeatMs / 5);
    try {
      const rationale = await join(input, cancellationSignal());
      if (!rationale) return { is: 'missing' };
      await keepRationale(rationale);
      return { is: 'explained' };
    } catch (error) {
      return failed(error, (text) => deps.secrets.clean(text));
    } finally {
      clearInterval(beat);
    }
  };
}
