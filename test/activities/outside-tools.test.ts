import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentSecrets } from '../../activities/agent-secrets.ts';
import { CallerRoles } from '../../activities/caller-roles.ts';
import { KnownSecrets } from '../../activities/known-secrets.ts';
import { createProviders } from '../../activities/models/index.ts';
import { rulesOf, type Segment, toolboxOf } from '../../activities/segment.ts';
import { runTools } from '../../activities/steps/run-tools.ts';
import { describedBy } from '../../activities/tools/brought.ts';
import { type Found, type OutsideContext, outsideTool } from '../../activities/tools/contract.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Caller } from '../../domain/identity.ts';
import type { Token } from '../../domain/log-entry.ts';
import type { RunTool } from '../../domain/run-tool.ts';
import { Snapshots } from '../../files/snapshots.ts';
import { disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { insertRun } from '../../store/runs.ts';
import { agentWith, answered, begun, called, tool } from '../domain/told.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';
import { draft } from '../recorded-run.ts';
import { quiet } from '../running-system.ts';

let caller: Caller;
const nobody = createProviders({ openai_api_key: 'none', openai_base_url: 'http://127.0.0.1:1' });
const at = (scheduled: number): Token => ({ scheduled, attempt: 1 });

beforeAll(async () => {
  await ownStore();
  caller = await newOwner('Ana');
});
afterAll(disconnectStore);

interface Wanted {
  effect?: boolean;
  idempotent?: boolean;
  found?: Found;
}

/** A run whose model has just called a tool that its organization brings, and what was done of it. */
async function calling({ effect = true, idempotent = false, found }: Wanted, args: object = { to: 'all' }) {
  const done: OutsideContext[] = [];
  const brought: RunTool = {
    name: 'announce',
    description: 'Tells others.',
    parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    output_schema: null,
    effect,
    idempotent,
    source: { kind: 'integration', tool_id: 'tol_1', version: 1, integration_id: 'int_1', endpoint: 'announce' },
  };
  const agent = agentWith({ confirmation: { announce: 'never' } });
  const run = await insertRun(caller, draft(newId('run'), agent, { input: 'Go.', tools: [brought] }));
  const box = toolboxOf(run, {
    integration: (made) =>
      outsideTool({
        ...made,
        operation: null,
        aliases: [],
        argument_aliases: {},
        input: z.looseObject({}),
        described: describedBy(made),
        preview: async () => ({ path: null, preview: 'told', base_hash: null }),
        act: async (_input, context) => {
          done.push(context);
          return { told: true };
        },
        ...(found ? { findOut: async () => found } : {}),
      }),
  });
  const segment = async (token: Token): Promise<Segment> => ({
    run,
    agent,
    log: await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id }, token),
    rules: rulesOf(run, box, null),
    toolbox: box,
    checkout: null,
    tools: null,
    providerFor: nobody,
    callers: new CallerRoles(),
    secrets: new AgentSecrets(
      new KnownSecrets([]),
      ['a secret key for tests only'],
      {
        org_id: 'org_1',
        agent_id: 'agt_1',
      },
      run.created_at,
    ),
    shares: false,
    snapshots: new Snapshots('/nowhere'),
    signal: new AbortController().signal,
    idleMs: 1_000,
    rateWindowMs: 3_600_000,
    show: () => undefined,
    logger: quiet,
  });
  const first = await segment(at(1));
  await first.log.append(() => [...begun, called(1), answered(1, { calls: [tool('c', 'announce', { ...args })] })]);
  const goOn = async (on: Segment) => {
    await runTools(on, 1, on.log.state.turns[0]?.calls ?? []);
    await on.log.flush();
    return on.log.state.turns[0]?.calls[0]?.finished;
  };
  const intent: Fact = { kind: 'tool_started', turn: 1, call_id: 'c', intent: { effect: 'outside', key: 'k' } };
  return { first, segment, goOn, done, intent };
}

describe('a tool whose effect lies beyond the files', () => {
  it('is told to the log, then done, once, under a key of its own', async () => {
    const { first, goOn, done } = await calling({});
    expect(await goOn(first)).toMatchObject({ ok: true, result: { told: true } });
    expect(done.map(({ key }) => key)).toEqual([`${first.run._id}-1-c`]);
    const kinds = (await RunLog.open({ run_id: first.run._id, workspace_id: first.run.workspace_id })).state.turns[0];
    expect(kinds?.calls[0]).toMatchObject({ starts: 1, intent: { effect: 'outside' } });
  });

  it.each<[string, Wanted, number, object]>([
    ['is reported as interrupted where nobody can know', {}, 0, { ok: false, error: { code: 'interrupted' } }],
    [
      'is not repeated where it is found to be done',
      { found: { state: 'done', result: 7 } },
      0,
      { ok: true, result: 7 },
    ],
    ['is done where it is found not to be', { found: { state: 'not_done' } }, 1, { ok: true }],
    ['is done again where that does no harm', { idempotent: true }, 1, { ok: true }],
    ['is simply run again where it only looks', { effect: false }, 1, { ok: true }],
  ])('that was begun and never heard of %s', async (_name, wanted, times, outcome) => {
    const { first, segment, goOn, done, intent } = await calling(wanted);
    await first.log.append(() => [intent]);
    expect(await goOn(await segment(at(2)))).toMatchObject(outcome);
    expect(done).toHaveLength(times);
  });

  it('is held to the schema it came with', async () => {
    const { first, goOn, done } = await calling({}, { to: 3 });
    expect(await goOn(first)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(done).toHaveLength(0);
  });
});
