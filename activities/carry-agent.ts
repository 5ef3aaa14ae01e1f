import { openDelegations } from '../domain/open-calls.ts';
import type { SegmentOutcome } from '../domain/segment.ts';
import { nextMove } from '../domain/turn.ts';
import type { Segment } from './segment.ts';
import { applyEdits } from './steps/apply-edits.ts';
import { askPeople } from './steps/ask-people.ts';
import { bubbleUp } from './steps/bubble-up.ts';
import { callModel } from './steps/call-model.ts';
import { collectChildren, delegate, stopChildren } from './steps/delegate.ts';
import { giveContext } from './steps/give-context.ts';
import { settleLastTurn } from './steps/plan-call.ts';
import { runTools } from './steps/run-tools.ts';

async function end(segment: Segment): Promise<void> {
  await segment.log.append((state) => {
    // Asked again if somebody was faster: a message that came in last is not to be lost.
    const move = nextMove(state, segment.rules, Date.now());
    return move.do === 'end' ? [{ kind: 'ended', status: move.status, output: move.output, error: move.error }] : null;
  });
}

/** The runs to wait for, with those named that are of workflows: they are started as another kind. */
function below({ log }: Segment, children: string[]): { children?: string[]; definitions?: string[] } {
  const isDefinition = (id: string) =>
    openDelegations(log.state).some(({ child }) => child?.child_run_id === id && child.definition);
  const definitions = children.filter(isDefinition);
  return { ...(children.length > 0 ? { children } : {}), ...(definitions.length > 0 ? { definitions } : {}) };
}

/** Takes steps until something must be decided elsewhere, or its time is up. */
export async function carryAgent(segment: Segment, stopAt: () => boolean): Promise<SegmentOutcome> {
  const { log } = segment;
  // The first call waits for them beside its append; before it nothing is told that could hold a secret but pinned rows.
  if (log.state.turns.length > 0 || segment.run.context_rows.length > 0) await segment.secrets.ready();
  await giveContext(segment);
  await settleLastTurn(segment);
  await collectChildren(segment);
  await bubbleUp(segment);
  for (;;) {
    const move = nextMove(log.state, segment.rules, Date.now());
    switch (move.do) {
      case 'nothing':
        return { next: 'ended' };
      case 'end':
        await end(segment);
        continue;
      case 'wait':
        await log.flush();
        await bubbleUp(segment);
        return { next: 'wait', ids: move.ids, ...below(segment, move.children) };
      case 'stop_children':
        await log.flush();
        await stopChildren(segment, move.children);
        return { next: 'wait', ids: [], ...below(segment, move.children), cancelled: true };
      case 'retry':
        return { next: 'retry', after_ms: move.after_ms };
      case 'call': {
        const waits = await callModel(segment, move);
        if (waits) return waits;
        break;
      }
      case 'delegate':
        await delegate(segment, move.turn, move.calls);
        break;
      case 'tools':
        await runTools(segment, move.turn, move.calls);
        break;
      case 'ask':
        await askPeople(segment, move.turn, move.calls);
        break;
      case 'apply': {
        const waits = await applyEdits(segment, move.turn, move.call);
        if (waits) return waits;
        break;
      }
    }
    if (segment.signal.aborted) {
      await log.flush();
      await log.refresh();
      if (!log.state.cancel_requested) return { next: 'continue' };
    }
    if (stopAt()) return { next: 'continue' };
  }
}
