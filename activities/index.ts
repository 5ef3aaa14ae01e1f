import type { SegmentInput } from '../domain/segment.ts';
import { RunLog } from '../store/event-log.ts';
import { type ActivityDeps, createAdvance } from './advance.ts';
import { createEmbedQuery } from './embed-query.ts';
import { createExplain } from './explain.ts';
import { createInspect } from './mcp/inspect.ts';
import type { RecordsAhead } from './records-ahead.ts';
import { createPurge } from './retention.ts';
import { createSaveRollback } from './save-rollback.ts';
import { beginScheduled, runIsOver } from './scheduled-run.ts';

export type { ActivityDeps } from './advance.ts';

export function createActivities(deps: ActivityDeps, ahead: RecordsAhead) {
  /** What an activity throws goes into the history of the workflow. */
  const cleaned =
    <I, O>(activity: (input: I) => Promise<O>) =>
    (input: I): Promise<O> =>
      activity(input).catch((error: unknown) => {
        throw deps.secrets.cleanError(error);
      });

  return {
    advance: cleaned(createAdvance(deps, ahead)),
    explain: cleaned(createExplain(deps)),
    embedQuery: cleaned(createEmbedQuery(deps)),
    inspect: cleaned(createInspect(deps.mcp, deps.secrets)),
    saveRollback: cleaned(createSaveRollback(deps)),
    beginScheduled: cleaned(beginScheduled),
    runIsOver,
    purge: createPurge({
      keepRunsMs: deps.keepRunsMs ?? null,
      snapshotsDir: deps.snapshotsDir,
      ...(deps.editLimits ? { editLimits: deps.editLimits } : {}),
    }),

    /** For a run cancelled from outside our API: says so in the log, where segments look. */
    async requestCancel({ run_id, workspace_id }: SegmentInput): Promise<void> {
      const log = await RunLog.open({ run_id, workspace_id });
      if (log.state.ended) return;
      await log.append((state) =>
        state.cancel_requested ? null : [{ kind: 'cancel_requested', by: { user_id: 'temporal', name: 'Temporal' } }],
      );
    },
  };
}

export type Activities = ReturnType<typeof createActivities>;
