import { z } from 'zod';
import { flowViewSchema } from '../../domain/flow-view.ts';
import { resumedRunSchema, runSchema, startedRunSchema } from '../../domain/run.ts';
import { forkBody, resumeBody } from '../../domain/run-requests.ts';
import { type RunTree, runTreeSchema } from '../../domain/run-tree.ts';
import { flowOf } from '../../store/flow-view.ts';
import { type RunRecord, toRun } from '../../store/run-record.ts';
import { findRun, treeOf } from '../../store/runs.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { type Route, route } from '../route.ts';

const id = idParam('run');

const begun = ({ _id, status }: RunRecord) => ({ status: 202 as const, body: { id: _id, status } });

const resumed = (run: RunRecord) => ({
  status: 202 as const,
  body: {
    id: run._id,
    parent_run_id: run.parent_run_id ?? '',
    agent_id: run.agent_id,
    workflow_id: run.workflow_id,
    status: run.status,
    resume_from_step: run.resume_from_step,
    created_at: run.created_at.toISOString(),
  },
});

function treeBody(root_run_id: string, records: RunRecord[]): RunTree {
  const runs = records.map(toRun);
  const sum = (of: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + of(run), 0);
  const dollars = (value: number) => Math.round(value * 1_000_000) / 1_000_000;
  return {
    root_run_id,
    runs: runs.map((run) => ({
      id: run.id,
      parent_run_id: run.parent_run_id,
      relation: run.relation,
      agent_id: run.agent_id,
      agent_name: run.agent_name,
      definition_id: run.definition_id,
      status: run.status,
      llm_model: run.llm_model,
      iterations_used: run.iterations_used,
      tokens_used: run.tokens_used,
      cost_usd: run.cost_usd,
      unconfirmed_calls: run.unconfirmed_calls,
      duration_ms: run.duration_ms,
      created_at: run.created_at,
      started_at: run.started_at,
      completed_at: run.completed_at,
    })),
    settled: { tokens: sum((run) => run.tokens_used), cost_usd: dollars(sum((run) => run.cost_usd ?? 0)) },
    unconfirmed: {
      calls: sum((run) => run.unconfirmed_calls),
      tokens: sum((run) => run.unconfirmed_tokens),
      cost_usd: dollars(sum((run) => run.unconfirmed_cost_usd)),
    },
  };
}

/** What becomes of a run once it has begun: stopping, going on, going another way, and what it belongs to. */
export function runLifecycleRoutes({ runs: commands }: AppDeps): Route[] {
  const tag = 'Runs';
  return [
    route({
      method: 'post',
      path: '/runs/:id/cancel',
      tag,
      summary: 'Cancel a run and all runs below it',
      params: id,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params }) => ({ status: 202, body: await commands.cancel(caller, params.id) }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/pause',
      tag,
      summary: 'Pause a run and all below it: what is under way is finished, nothing new is begun',
      params: id,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params }) => ({ status: 202, body: await commands.pause(caller, params.id) }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/unpause',
      tag,
      summary: 'Let a paused run and all below it go on',
      params: id,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params }) => ({ status: 202, body: await commands.unpause(caller, params.id) }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/resume',
      tag,
      summary: 'Go on where a run failed, as a new run that takes over what was done',
      params: id,
      body: resumeBody,
      audit: 'refusals',
      replies: { 202: resumedRunSchema },
      handler: async ({ caller, params, body, newId }) =>
        resumed(await commands.resume(caller, params.id, body, newId)),
    }),
    route({
      method: 'post',
      path: '/runs/workflow/:run_id/resume',
      tag,
      summary: 'Go on where the run of a workflow failed, from the failed step or another one',
      params: z.strictObject({ run_id: idOf('run') }),
      body: resumeBody,
      audit: 'refusals',
      replies: { 202: resumedRunSchema },
      handler: async ({ caller, params, body, newId }) =>
        resumed(await commands.resumeDefinition(caller, params.run_id, body, newId)),
    }),
    route({
      method: 'get',
      path: '/runs/:id/workflow',
      tag,
      summary: 'The workflow that a run began with, and what each of its steps was given and gave',
      params: id,
      replies: { 200: flowViewSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await flowOf(caller, params.id) }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/fork',
      tag,
      summary:
        'Take another turn at a step of an ended run: a new run with the conversation and the files of that step',
      params: id,
      body: forkBody,
      audit: 'refusals',
      replies: { 202: startedRunSchema },
      handler: async ({ caller, params, body, newId }) => begun(await commands.fork(caller, params.id, body, newId)),
    }),
    route({
      method: 'get',
      path: '/runs/:id/tree',
      tag,
      summary: 'All runs of the tree a run belongs to, and what the whole has used',
      params: id,
      query: z.strictObject({}),
      replies: { 200: runTreeSchema },
      handler: async ({ caller, params }) => {
        const run = await findRun(caller, params.id);
        return { status: 200, body: treeBody(run.root_run_id ?? run._id, await treeOf(caller, run)) };
      },
    }),
  ];
}
