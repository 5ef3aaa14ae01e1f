import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import { rationalePendingSchema, rationaleSchema } from '../../domain/rationale.ts';
import { type Step, stepSchema } from '../../domain/run-events.ts';
import { entrySteps } from '../../domain/trace.ts';
import { entriesAroundStep } from '../../store/log-reading.ts';
import { loadRationale } from '../../store/rationales.ts';
import { findRun } from '../../store/runs.ts';
import type { AppDeps } from '../app.ts';
import { explainStep } from '../explanations.ts';
import { idOf } from '../ids.ts';
import { type Route, route } from '../route.ts';

const tag = 'Runs';
const params = z.strictObject({
  id: idOf('run'),
  n: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});

/** Whoever sees the run may ask about its steps. */
async function demandStep(caller: Caller, runId: string, step: number): Promise<Step> {
  await findRun(caller, runId);
  const [entry] = await entriesAroundStep(runId, step, 0, 0);
  const found = entry && entrySteps(entry).find(({ step_number }) => step_number === step);
  if (found) return found;
  throw new Failure('not_found', `The run ${runId} has no step ${step}.`, { id: runId, step_number: step });
}

export const rationaleRoutes = ({ runs, draining }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/runs/:id/steps/:n',
    tag,
    summary: 'Read one step of a run',
    params,
    replies: { 200: stepSchema },
    handler: async ({ caller, params: { id, n } }) => {
      const step = await demandStep(caller, id, n);
      return { status: 200, body: { ...step, rationale: (await loadRationale(id, n))?.text ?? null } };
    },
  }),
  route({
    method: 'post',
    path: '/runs/:id/steps/:n/rationale',
    tag,
    summary: 'Have a step explained by the model of the run; paid for once, then kept',
    params,
    replies: { 200: rationaleSchema, 202: rationalePendingSchema },
    handler: async ({ caller, params: { id, n } }) => {
      if ((await findRun(caller, id)).definition_id) {
        throw new Failure('not_for_workflows', `The run ${id} is that of a workflow: no model chose its steps.`);
      }
      await demandStep(caller, id, n);
      const pending = { status: 202, body: { run_id: id, step_number: n, status: 'pending' } } as const;
      const known = await loadRationale(id, n);
      if (known) return { status: 200, body: known };
      if (!(await explainStep(runs.starter, { run_id: id, step: n }, draining))) return pending;
      const fresh = await loadRationale(id, n);
      return fresh ? { status: 200, body: fresh } : pending;
    },
  }),
  route({
    method: 'get',
    path: '/runs/:id/steps/:n/rationale',
    tag,
    summary: 'The explanation of a step, where somebody has asked for one',
    params,
    replies: { 200: rationaleSchema },
    handler: async ({ caller, params: { id, n } }) => {
      await demandStep(caller, id, n);
      const known = await loadRationale(id, n);
      if (known) return { status: 200, body: known };
      throw new Failure('not_found', `Nobody has asked for an explanation of step ${n} yet.`, {
        id,
        step_number: n,
      });
    },
  }),
];
