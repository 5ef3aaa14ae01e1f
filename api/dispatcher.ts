import type { Response } from 'express';
import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import type { Considered, DispatchBody, Dispatched, PlanStep, SentPlan } from '../domain/dispatch.ts';
import { allowedBy, type Eligible, refOf } from '../domain/dispatch-candidates.ts';
import { type Asked, type Decision, decideByModel, decideByRelevance, reasonFor } from '../domain/dispatch-decision.ts';
import { missingIn, planOf } from '../domain/dispatch-plan.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { type Query, routeByRelevance, type Shortlist, SURE } from '../domain/routing.ts';
import { eligibleFor } from '../store/dispatch-candidates.ts';
import { findNotebook } from '../store/notebooks.ts';
import { viewOf } from '../store/session-view.ts';
import { findSession } from '../store/sessions.ts';
import { settingsOf } from '../store/user-settings.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { AppDeps } from './app.ts';
import type { NewId } from './begun-runs.ts';
import { DecisionRuns } from './decision-runs.ts';
import { executePlan } from './plan-runs.ts';
import { Shortlists } from './shortlists.ts';

/** What the model is given to decide among; more would cost time and blur its view. */
const MOST_OFFERED = 20;
const DECIDE_MS = 1_500;
const REMEMBERED_MESSAGES = 4;

export interface Around {
  newId: NewId;
  res: Response;
  log: Logger;
}

/** Where it is asked: what a session or a notebook says of the workspace, and what was said before. */
interface Place {
  workspace_id: string | undefined;
  notebook_id: string | undefined;
  history: string[];
}

interface Decided {
  decision: Decision;
  by: Dispatched['decided_by'];
  fallback_reason: string | null;
  run_id: string | null;
}

/** Decides what a query is handed to, and has it done where that is wanted. */
export class Dispatcher {
  private readonly shortlists = new Shortlists();
  private readonly decisions: DecisionRuns;

  constructor(private readonly deps: AppDeps) {
    this.decisions = new DecisionRuns(deps);
  }

  async dispatch(caller: Caller, body: DispatchBody, around: Around): Promise<Dispatched> {
    const begun = Date.now();
    const place = await this.placeOf(caller, body);
    const isDecided = body.execution_plan !== undefined || body.chosen !== undefined;
    const agent = isDecided ? Promise.resolve(null) : this.decisions.agentFor(caller, place.workspace_id);
    // Its failure is told by whoever asks it.
    agent.catch(() => undefined);
    const [eligible, settings] = await Promise.all([eligibleFor(caller, place.workspace_id), settingsOf(caller)]);
    const allowed = allowedBy(eligible, [
      { tools: body.available_tools, agents: body.available_agents },
      { tools: settings.enabled_tools, agents: settings.enabled_agents },
      { tools: body.user_settings?.enabled_tools, agents: body.user_settings?.enabled_agents },
    ]);
    const asked: Asked = { query: body.query, attachments: body.attachments, history: place.history };
    const shortlist = this.shortlists.of(allowed);
    const sent = body.execution_plan ? sentBy(body.execution_plan, allowed) : null;
    const { decision, by, fallback_reason, run_id } =
      sent ??
      (body.chosen
        ? chosenBy(body.chosen, allowed)
        : await this.decide(caller, asked, allowed, shortlist, { ...around, agent, begun }));
    const plan = sent?.plan ?? planOf(asked, decision);
    const isUnsure = decision.confidence < SURE;
    const done = body.execute
      ? await executePlan(this.deps.runs, caller, { asked, decision, plan, isUnsure, place }, around.newId)
      : { run_id: null, not_executed: null };
    const refs = (kind: Eligible['kind']) =>
      decision.selected.flatMap(({ candidate }) => (candidate.kind === kind ? [refOf(candidate)] : []));
    return {
      routing_decision: {
        selected_tools: refs('tool'),
        selected_agents: refs('agent'),
        confidence: decision.confidence,
        reasoning: decision.reasoning,
        alternatives: decision.alternatives.map(refOf),
        requires_disambiguation: isUnsure,
      },
      execution_plan: plan,
      decided_by: by,
      fallback_reason,
      dropped: decision.dropped,
      candidates: considered(asked, decision, shortlist),
      decision_run_id: run_id,
      ...done,
      duration_ms: Date.now() - begun,
    };
  }

  private async placeOf(caller: Caller, { session_id, workspace_id, notebook_id }: DispatchBody): Promise<Place> {
    if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
    const session = session_id === undefined ? null : await findSession(caller, session_id);
    const notebook = notebook_id === undefined ? null : await findNotebook(caller, notebook_id);
    const places = [workspace_id, session?.workspace_id, notebook?.workspace_id].filter((id) => id !== undefined);
    if (new Set(places).size > 1) {
      throw new Failure('invalid_request', 'Workspace, session and notebook are not of one workspace.', { in: 'body' });
    }
    const messages = session ? (await viewOf(caller, session)).messages : [];
    return {
      workspace_id: places[0],
      notebook_id: notebook_id ?? session?.notebook_id ?? undefined,
      history: messages.slice(-REMEMBERED_MESSAGES).map(({ content }) => content),
    };
  }

  private async decide(
    caller: Caller,
    asked: Asked,
    allowed: readonly Eligible[],
    shortlist: Shortlist,
    { agent, begun, ...around }: Around & { agent: Promise<Agent | null>; begun: number },
  ): Promise<Decided> {
    const query: Query = { text: asked.query, attachments: [...asked.attachments], history: [...asked.history] };
    const routing = routeByRelevance(shortlist, query);
    const byRelevance = (fallback_reason: string, run_id: string | null = null): Decided => ({
      decision: decideByRelevance(asked, allowed, routing),
      by: 'shortlist',
      fallback_reason,
      run_id,
    });
    const unfit = this.decisions.unfit();
    if (unfit !== null) return byRelevance(unfit);
    if (allowed.length === 0) return byRelevance('There is nothing to decide among.');
    const found = shortlist.find(query).map(({ candidate }) => candidate.id);
    const ranked = [...routing.selected, ...routing.alternatives].map(({ id }) => id);
    const order = new Set([...ranked, ...found, ...allowed.map(({ id }) => id)]);
    const byId = new Map(allowed.map((each) => [each.id, each]));
    const offered = [...order].slice(0, MOST_OFFERED).flatMap((id) => byId.get(id) ?? []);
    const leftMs = (this.deps.dispatchMs ?? DECIDE_MS) - (Date.now() - begun);
    const { answer, run_id, why } = await this.decisions.ask(caller, { agent, asked, offered, leftMs }, around);
    if (!answer) return byRelevance(why, run_id);
    return { decision: decideByModel(allowed, routing, answer), by: 'model', fallback_reason: null, run_id };
  }
}

/** Strictly within what may be used, like everything else. */
function demandAllowed(allowed: readonly Eligible[], kind: Eligible['kind'], ref: string): Eligible {
  const candidate = allowed.find((each) => each.kind === kind && refOf(each) === ref);
  if (candidate) return candidate;
  throw new Failure('not_found', `There is no ${kind} ${ref} that you can use here.`, { [kind]: ref });
}

const ofCaller = (candidates: Eligible[], in_sequence: boolean): Decided => ({
  decision: {
    selected: candidates.map((candidate) => ({ candidate, arguments: null })),
    alternatives: [],
    confidence: 1,
    in_sequence,
    reasoning: 'You have chosen it.',
    dropped: [],
  },
  by: 'caller',
  fallback_reason: null,
  run_id: null,
});

function chosenBy({ tools, agents }: NonNullable<DispatchBody['chosen']>, allowed: readonly Eligible[]): Decided {
  const selected = [
    ...tools.map((ref) => demandAllowed(allowed, 'tool', ref)),
    ...agents.map((ref) => demandAllowed(allowed, 'agent', ref)),
  ];
  return ofCaller(selected, selected.length > 1);
}

/** A plan that was shown before: as it stands, but for what only we can say of it. */
function sentBy(steps: SentPlan, allowed: readonly Eligible[]): Decided & { plan: PlanStep[] } {
  const selected = steps.map(({ type, name }) => demandAllowed(allowed, type, name));
  const plan = steps.map((step, n): PlanStep => {
    const { depends_on = [], takes = {}, input } = step;
    const title = selected[n]?.name ?? step.name;
    return { ...step, title, depends_on, takes, missing: missingIn(selected[n]?.parameters ?? null, input, takes) };
  });
  const isSequence = plan.some(({ depends_on }) => depends_on.length > 0);
  return { ...ofCaller(selected, isSequence), plan };
}

/** What the decision leaves is shared by those that are offered, by how relevant they are. */
function considered(asked: Asked, decision: Decision, shortlist: Shortlist): Considered[] {
  const { selected, alternatives, confidence } = decision;
  const query = { text: asked.query, attachments: [...asked.attachments], history: [...asked.history] };
  const scores = new Map(shortlist.find(query).map(({ candidate, score }) => [candidate.id, score]));
  const least = Math.min(1, ...scores.values());
  const weightOf = ({ id }: Eligible): number => scores.get(id) ?? least / 2;
  const whole = alternatives.reduce((sum, each) => sum + weightOf(each), 0);
  const shown = (each: Eligible, isSelected: boolean): Considered => ({
    type: each.kind,
    name: refOf(each),
    title: each.name,
    description: each.description,
    workspace_id: each.workspace_id,
    selected: isSelected,
    reason: reasonFor(asked.query, each),
    confidence: isSelected ? confidence : ((1 - confidence) * weightOf(each)) / whole,
  });
  return [
    ...selected.map(({ candidate }) => shown(candidate, true)),
    ...alternatives.map((each) => shown(each, false)),
  ];
}
