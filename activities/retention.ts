import { rm } from 'node:fs/promises';
import { heartbeat } from '@temporalio/activity';
import { EDIT_LIMITS, type EditLimits } from '../domain/edits/limits.ts';
import { REPLAY_WINDOW_S } from '../domain/event.ts';
import type { PurgeInput, PurgeOutcome } from '../domain/retention.ts';
import { forkNotebookId } from '../domain/run-id.ts';
import { Snapshots } from '../files/snapshots.ts';
import { auditedUpTo } from '../store/audit-position.ts';
import { purgeDeliveries } from '../store/delivery-purge.ts';
import { dropSource, sourcesLeftBehind } from '../store/knowledge.ts';
import { dropNotebook, isUsedByOthers, loadLeftNotebook } from '../store/notebook-upkeep.ts';
import { type Leaving, purgeTree, rootsEndedBefore } from '../store/run-purge.ts';
import { purgeEdits } from './edit-retention.ts';

export interface RetentionSettings {
  /** How long runs are kept after their end; null for ever. */
  keepRunsMs: number | null;
  /** Trees of files as they were, for forks. */
  snapshotsDir: string;
  /** The defaults where it is not said. */
  editLimits?: EditLimits;
}

interface Batch {
  purged: number;
  /** Where the next one begins; null where there is no more. */
  after: string | null;
}

interface Policy {
  name: string;
  /** null where it is not in force. */
  keepMs: (settings: RetentionSettings) => number | null;
  purge: (before: Date, after: string | null, settings: RetentionSettings) => Promise<Batch>;
}

const BATCH = 50;
const HOUR_MS = 3_600_000;
const CLOCKS_APART_MS = 600_000;
/** Well within the time-out of the activity; what is left is taken up by the next one. */
const LONGEST_MS = 20_000;

/** The files kept for a run: its snapshots and, where it is a fork nobody else worked on, the tree it had to itself. */
async function releaseFiles({ _id, org_id, notebook_id, files_from }: Leaving, snapshots: Snapshots): Promise<void> {
  heartbeat();
  if (notebook_id) await snapshots.forget(notebook_id, _id);
  if (files_from) await snapshots.forget(files_from.notebook_id, _id);
  if (notebook_id !== forkNotebookId(_id) || (await isUsedByOthers(notebook_id, _id))) return;
  const own = await loadLeftNotebook(org_id, notebook_id);
  if (!own) return;
  await rm(own.path, { recursive: true, force: true });
  await snapshots.forgetAll(notebook_id);
  await dropNotebook(org_id, notebook_id);
}

/** What is purged, and when. A new kind of thing that does not stay for ever is a policy here. */
const POLICIES: Policy[] = [
  {
    name: 'runs',
    keepMs: ({ keepRunsMs }) => keepRunsMs,
    async purge(latest, after, { snapshotsDir }) {
      const audited = await auditedUpTo();
      // What the audit log has not read yet would be lost to it.
      if (audited === null) return { purged: 0, after: null };
      const before = new Date(Math.min(latest.getTime(), audited.getTime() - CLOCKS_APART_MS));
      const roots = await rootsEndedBefore(before, after, BATCH);
      const snapshots = new Snapshots(snapshotsDir);
      const release = (run: Leaving) => releaseFiles(run, snapshots);
      let purged = 0;
      for (const { root } of roots) purged += (await purgeTree(root, before, release)) ?? 0;
      return { purged, after: roots.length < BATCH ? null : (roots.at(-1)?.cursor ?? null) };
    },
  },
  {
    name: 'deliveries',
    // Forgotten within the window, a request that was overheard could be sent again.
    keepMs: ({ keepRunsMs }) => keepRunsMs && Math.max(keepRunsMs, 2_000 * REPLAY_WINDOW_S),
    purge: (before, after) => purgeDeliveries(before, after, BATCH),
  },
  {
    name: 'edits',
    keepMs: ({ editLimits = EDIT_LIMITS }) => editLimits.completed_ttl_hours * HOUR_MS,
    async purge(expired, after, { snapshotsDir, editLimits = EDIT_LIMITS }) {
      const audited = await auditedUpTo();
      if (audited === null) return { purged: 0, after: null };
      const snapshots = new Snapshots(snapshotsDir);
      return purgeEdits(after, {
        limits: editLimits,
        audited: new Date(audited.getTime() - CLOCKS_APART_MS),
        expired: new Date(Math.min(expired.getTime(), audited.getTime() - CLOCKS_APART_MS)),
        release: (run) => releaseFiles(run, snapshots),
      });
    },
  },
  {
    name: 'knowledge left behind',
    keepMs: () => HOUR_MS,
    async purge(before) {
      const sources = await sourcesLeftBehind(before, BATCH);
      for (const id of sources) {
        await dropSource(id);
        heartbeat();
      }
      return { purged: sources.length, after: sources.length < BATCH ? null : (sources.at(-1) ?? null) };
    },
  },
];

/** Goes through the policies from a place on, for a while. Repeated from the same place it finds what is left. */
export function createPurge(settings: RetentionSettings): (input: PurgeInput) => Promise<PurgeOutcome> {
  return async ({ place }) => {
    const deadline = Date.now() + LONGEST_MS;
    const begin = place ? POLICIES.findIndex(({ name }) => name === place.policy) : 0;
    let purged = 0;
    for (const policy of POLICIES.slice(Math.max(0, begin))) {
      const keepMs = policy.keepMs(settings);
      if (keepMs === null) continue;
      let after = place?.policy === policy.name ? place.after : null;
      do {
        const batch = await policy.purge(new Date(Date.now() - keepMs), after, settings);
        purged += batch.purged;
        after = batch.after;
        heartbeat();
        if (after !== null && Date.now() >= deadline) return { purged, next: { policy: policy.name, after } };
      } while (after !== null);
    }
    return { purged, next: null };
  };
}
