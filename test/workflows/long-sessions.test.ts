import { expect, it } from 'vitest';
import { SessionCommands } from '../../api/session-commands.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { startSystem } from '../running-system.ts';

/** Tokens; three quarters of it are said in the sixth run. */
const WINDOW = 4_000;
const said = (text: string, input = 10) => ({ text, usage: { input, output: 10 } });

it('[3] a long session is summed up, and its next run takes over from the summary on', async () => {
  const system = await startSystem({ contextTokens: WINDOW });
  try {
    const sessions = new SessionCommands(system.commands);
    // A position is the number of answers that are sent: after the summary they are counted anew.
    system.model.script('long', [
      said('a1'),
      said('a2'),
      [said('a3'), said('a7')],
      [said('a4'), said('a8')],
      said('a5'),
      said('a6', WINDOW),
      said('The summary.'),
    ]);
    const body = { notebook_id: system.notebook.id, context_rows: [] };
    const { _id: id } = await sessions.create(system.caller, system.agent.id, body, newId);
    const outputs: unknown[] = [];
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const content = n === 1 ? '[script:long] m1' : `m${n}`;
      const run = await system.ended(await sessions.message(system.caller, id, content, newId));
      outputs.push(run.output);
      const { state } = await RunLog.open({ run_id: run.id, workspace_id: system.workspace.id });
      expect(state.turns.length).toBeLessThanOrEqual(8);
      if (n === 8) expect(state.turns.map(({ text }) => text)).toEqual(['a5', 'a6', 'The summary.', 'a7', 'a8']);
    }
    expect(outputs).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']);
    const [, ...last] = system.model.callsOf('long', 3).at(-1)?.request.messages ?? [];
    expect(last.map(({ content }) => String(content).split('\n').at(-1))).toEqual([
      '[script:long] m1',
      'The summary.',
      'm5',
      'a5',
      'm6',
      'a6',
      'm7',
      'a7',
      'm8',
    ]);
  } finally {
    await system.stop();
  }
});
