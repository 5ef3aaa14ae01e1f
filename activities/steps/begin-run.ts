import { restOf } from '../../domain/budget.ts';
import { openAccount } from '../../store/ledger.ts';
import type { Segment } from '../segment.ts';

/** The first that is told of a run, by whichever segment is the first. */
export async function beginRun({ run, log, rules, shares }: Segment): Promise<void> {
  if (log.state.started_at !== null || log.state.ended) return;
  // The account of a tree is there before anybody draws on it.
  if (shares && run.line.length === 1) await openAccount(run._id, run._id, restOf(log.state, rules.budget));
  log.stage([
    {
      kind: 'queued',
      at: run.created_at.toISOString(),
      ...(run.conversation_id ? { conversation_id: run.conversation_id } : {}),
    },
    { kind: 'started', model: run.llm_model },
  ]);
}
