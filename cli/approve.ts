import { setTimeout } from 'node:timers/promises';
import type { PendingAction } from '../domain/pending.ts';
import { hasEnded, type Run } from '../domain/run.ts';
import { type Desk, openDesk } from './desk.ts';
import { argumentsFrom } from './editing.ts';
import { actionLines, actionTitle } from './pending-view.ts';
import { askDecision, type Decision } from './prompts.ts';
import { runId } from './run-id.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';
import { candidateLines, waitingRun } from './waiting-run.ts';

export interface ApproveOptions {
  action?: string;
  deny?: boolean;
  reason?: string;
  arguments?: string;
  yes?: boolean;
  forSession?: boolean;
}

const PREVIEW_LINES = 60;
const LOOK_MS = 200;
const MOST_LOOKS = 150;

export async function approveCommand(id: string | undefined, options: ApproveOptions): Promise<void> {
  const given = decisionIn(options);
  const desk = await openDesk();
  const { client, style, prompting, print } = desk;
  const run = await waitingRun(client, 'action', id === undefined ? undefined : runId(id));
  const actions = chosenActions(run, options.action, prompting !== null);
  for (const action of actions) {
    for (let next: PendingAction | null = action; next; ) {
      const asks = prompting !== null && given === null;
      for (const shown of actionLines(next, style, asks ? PREVIEW_LINES : Number.POSITIVE_INFINITY)) print(shown);
      const decision: Decision = asks ? await askDecision(next, prompting) : (given ?? { do: 'allow' });
      if (decision.do === 'stopped') {
        process.exitCode = 130;
        return;
      }
      next = await carryOut(desk, run.id, next, decision);
    }
  }
}

/** null where the flags leave it open. */
function decisionIn(options: ApproveOptions): Decision | null {
  const { deny = false, reason, arguments: changed, yes = false, forSession = false } = options;
  if (deny && (yes || forSession || changed !== undefined)) {
    throw new Trouble('--deny goes with none of --yes, --for-session and --arguments.', 'Decide for one of them.');
  }
  if (deny) return { do: 'deny', reason: reason ?? '' };
  if (reason !== undefined) throw new Trouble('A reason is given only with --deny.', 'Add --deny, or leave it out.');
  const lasting = forSession ? { for_session: true as const } : {};
  if (changed !== undefined) return { do: 'allow', arguments: argumentsFrom(changed), ...lasting };
  return yes || forSession ? { do: 'allow', ...lasting } : null;
}

function chosenActions(run: Run, wanted: string | undefined, mayAsk: boolean): PendingAction[] {
  const { pending_actions: actions } = run;
  const items = actions.map((action) => ({
    ...{ kind: 'action' as const, run_id: run.id, agent_name: run.agent_name, workspace_id: run.workspace_id },
    ...{ conversation_id: run.conversation_id, since: action.created_at, action, question: null, review: null },
  }));
  const found = wanted === undefined ? actions : actions.filter(({ id }) => id === wanted);
  if (found.length === 0) {
    throw new Trouble(`The action ${wanted} is not pending. These are:`, candidateLines(items, Date.now()).join('\n'));
  }
  if (found.length > 1 && !mayAsk) {
    throw new Trouble(
      `${found.length} actions of ${run.id} wait; say which one is meant:`,
      candidateLines(items, Date.now()).join('\n'),
    );
  }
  return found;
}

/** The action as the run shows it with other arguments; null where it is answered meanwhile, or takes its time. */
async function shownAnew({ client, print }: Desk, run: string, before: PendingAction): Promise<PendingAction | null> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { status, pending_actions } = await client.runs.get(run);
    const now = pending_actions.find(({ id }) => id === before.id);
    if (now && now.shown_at !== before.shown_at) return now;
    if (hasEnded(status)) return null;
    await setTimeout(LOOK_MS);
  }
  print(`It is not shown with the changes yet. Look again with: longhaul approve ${run} --action ${before.id}`);
  return null;
}

/** What is to be decided next about the same action, if anything is. */
async function carryOut(
  desk: Desk,
  run: string,
  action: PendingAction,
  decision: Decision,
): Promise<PendingAction | null> {
  const { client, print } = desk;
  const title = harmless(actionTitle(action));
  // With the digest of what was shown: should it no longer be what would run, nothing does.
  const shown = { action_id: action.id, digest: action.digest };
  switch (decision.do) {
    case 'allow': {
      const changed = {
        ...(decision.arguments ? { arguments: decision.arguments } : {}),
        ...(decision.for_session ? { for_session: true } : {}),
      };
      await client.runs.confirm(run, { ...shown, ...changed, confirmed: true });
      print(`Allowed${decision.arguments ? ' with changes' : ''}: ${title}. ${run} goes on.`);
      return null;
    }
    case 'revise':
      await client.runs.revise(run, { ...shown, arguments: decision.arguments });
      return shownAnew(desk, run, action);
    case 'deny': {
      const reason = decision.reason === '' ? {} : { reason: decision.reason };
      await client.runs.confirm(run, { ...shown, ...reason, confirmed: false });
      print(`Denied: ${title}. The agent is told, and ${run} goes on without it.`);
      return null;
    }
    default:
      print(`${title} goes on waiting.`);
      return null;
  }
}
