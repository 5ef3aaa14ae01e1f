import { Client, Connection } from '@temporalio/client';
import type { Run } from '../domain/run.ts';
import { makeAgent, startStack } from './stack.ts';
import { readsFiles, startStubModel } from './stub-model.ts';

const TURNS = 1_000;
const EARLY = 10;

interface HistorySize {
  events: number;
  bytes: number;
}

/** What Temporal keeps of a run, over all the histories it was continued in. */
async function historyOf(client: Client, runId: string): Promise<HistorySize> {
  let events = 0;
  let bytes = 0;
  const { raw } = await client.workflow.getHandle(`run:${runId}`).describe();
  let execution = raw.workflowExecutionInfo?.firstRunId ?? undefined;
  while (execution) {
    const part = client.workflow.getHandle(`run:${runId}`, execution);
    const info = (await part.describe()).raw.workflowExecutionInfo;
    events += Number(info?.historyLength ?? 0);
    bytes += Number(info?.historySizeBytes ?? 0);
    const { events: all } = await part.fetchHistory();
    execution = all?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return { events, bytes };
}

export async function history(say: (line: string) => void): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const sizes: { turns: number; size: HistorySize }[] = [];
  for (const turns of [EARLY, TURNS]) {
    const stub = await startStubModel(readsFiles(turns));
    const stack = await startStack(stub.url);
    try {
      const about = await makeAgent(stack);
      const run = await stack.call<Run>('POST', '/runs', { ...about, input: `history ${turns}`, wait: 300 });
      if (run.status !== 'completed') throw new Error(`${run.status} ${JSON.stringify(run.error)}`);
      const connection = await Connection.connect({ address: stack.engines.temporal_address });
      sizes.push({ turns, size: await historyOf(new Client({ connection }), run.id) });
      await connection.close();
      say(`${turns} turns: ${sizes.at(-1)?.size.events} events, ${sizes.at(-1)?.size.bytes} bytes of history`);
    } finally {
      await stack.stop();
      stub.close();
    }
  }
  const [early, late] = sizes;
  if (!early || !late) throw new Error('nothing was measured');
  // Per turn beyond the first ten: what each further turn costs, apart from what a run costs at all.
  const further = late.turns - early.turns;
  figures.bytes_per_turn = (late.size.bytes - early.size.bytes) / further;
  figures.events_per_turn = (late.size.events - early.size.events) / further;
  figures.bytes_at_10 = early.size.bytes;
  figures.bytes_at_1000 = late.size.bytes;
  figures.events_at_10 = early.size.events;
  figures.events_at_1000 = late.size.events;
  return figures;
}
