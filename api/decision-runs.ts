import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Agent } from '../domain/agent.ts';
import type { Eligible } from '../domain/dispatch-candidates.ts';
import { ANSWER_FORMAT, type Asked, type ModelAnswer, questionFor, readAnswer } from '../domain/dispatch-decision.ts';
import type { Caller } from '../domain/identity.ts';
import { PROVIDERS, providerOf } from '../domain/model.ts';
import type { RunEvent } from '../domain/run-events.ts';
import { dispatcherOf } from '../store/builtin-agents.ts';
import { listWorkspaces } from '../store/workspaces.ts';
import type { AppDeps } from './app.ts';
import type { Around } from './dispatcher.ts';
import { isEnd, waitForEvents } from './event-stream.ts';

interface Question {
  /** Who decides, being looked up; null where the caller is a member of no workspace in which it could. */
  agent: Promise<Agent | null>;
  asked: Asked;
  offered: readonly Eligible[];
  leftMs: number;
}

interface Outcome {
  answer: ModelAnswer | null;
  run_id: string | null;
  /** Where there is no answer. */
  why: string;
}

const late = 'The model did not decide in time.';

/** What the last event of a run says. */
const endSchema = z.object({ output: z.unknown(), error: z.object({ message: z.string() }).nullable() });

/** The model's decision is a run of the agent `dispatcher` like any other; whoever asks waits for it a moment only. */
export class DecisionRuns {
  constructor(private readonly deps: AppDeps) {}

  /** Why no model can be asked here; null where one can. */
  unfit(): string | null {
    const { builtinModels, providers } = this.deps;
    const model = builtinModels.dispatcher;
    if (model === undefined) return 'No model is set for the dispatcher (LONGHAUL_DISPATCHER_MODEL).';
    const provider = PROVIDERS.find((each) => each === providerOf(model));
    if (provider === 'demo') return 'The demo model is no LLM and decides nothing.';
    if (!provider || !providers[provider]) return `The model ${model} cannot be called here.`;
    return null;
  }

  /** Asked for while it is found out what there is to decide among. */
  async agentFor(caller: Caller, workspaceId: string | undefined): Promise<Agent | null> {
    if (this.unfit() !== null) return null;
    const id = workspaceId ?? (await listWorkspaces(caller, { limit: 1 })).items[0]?.id;
    return id === undefined ? null : dispatcherOf(caller, id, this.deps.builtinModels.dispatcher ?? '');
  }

  async ask(caller: Caller, question: Question, around: Around): Promise<Outcome> {
    const begun: { run_id: string | null } = { run_id: null };
    const enough = new AbortController();
    const patience = setTimeout(Math.max(1, question.leftMs), null, { signal: enough.signal });
    const asking = this.run(caller, question, around, begun);
    try {
      const outcome = await Promise.race([asking, patience]);
      if (outcome) return outcome;
    } catch (err) {
      around.log.warn({ err }, 'the dispatcher goes by relevance: its model could not be asked');
      return { answer: null, run_id: begun.run_id, why: 'The model could not be asked.' };
    } finally {
      patience.catch(() => undefined);
      enough.abort();
    }
    void this.giveUp(caller, asking, begun, around);
    return { answer: null, run_id: begun.run_id, why: late };
  }

  private async run(
    caller: Caller,
    { asked, offered, leftMs, ...question }: Question,
    { newId, res }: Around,
    begun: { run_id: string | null },
  ): Promise<Outcome> {
    const { runs, hub, draining } = this.deps;
    const agent = await question.agent;
    if (!agent) {
      const why = 'You are a member of no workspace in which the model could run.';
      return { answer: null, run_id: null, why };
    }
    const id = newId('run');
    begun.run_id = id;
    const input = questionFor(asked, offered);
    const body = { agent_id: agent.id, input, output_schema: ANSWER_FORMAT, trigger_type: 'sdk' as const };
    await runs.start(caller, body, () => id, { source: `dispatch: ${caller.name}` });
    let end: RunEvent | undefined;
    await waitForEvents({ hub, run: id, from: 1, res, draining }, leftMs / 1000, (events) => {
      end = events.find(isEnd);
      return end !== undefined;
    });
    if (!end) return { answer: null, run_id: id, why: late };
    const { output, error } = endSchema.parse(end.data);
    const answer = end.type === 'run.completed' ? readAnswer(output) : null;
    return { answer, run_id: id, why: error?.message ?? 'The model gave no decision that could be read.' };
  }

  /** Nobody waits for it any more: it is not to be paid for further. */
  private async giveUp(
    caller: Caller,
    asking: Promise<Outcome>,
    { run_id }: { run_id: string | null },
    { log }: Around,
  ): Promise<void> {
    try {
      if (run_id !== null) await this.deps.runs.cancel(caller, run_id);
    } catch (err) {
      log.debug({ err, run_id }, 'the decision was over before it could be given up');
    }
    await asking.catch((err: unknown) => log.debug({ err, run_id }, 'a decision that nobody waits for'));
  }
}
