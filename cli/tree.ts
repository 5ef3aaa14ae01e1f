import type { TreeNode } from '../domain/run-tree.ts';
import { openDesk } from './desk.ts';
import { runId } from './run-id.ts';
import { brief } from './style.ts';
import { tableLines } from './table.ts';
import { counted, dollars, figure, statusWord, took } from './words.ts';

/** Children below their parent, as deep as they are. */
function* inOrder(runs: TreeNode[], parent: string | null, depth: number): Generator<[TreeNode, number]> {
  for (const run of runs.filter((each) => (depth === 0 ? each.id === parent : each.parent_run_id === parent))) {
    yield [run, depth];
    yield* inOrder(runs, run.id, depth + 1);
  }
}

export async function treeCommand(given: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, style, print } = await openDesk({ json });
  const tree = await client.runs.tree(runId(given));
  if (json) return print(JSON.stringify(tree));
  const rows = [...inOrder(tree.runs, tree.root_run_id, 0)].map(([run, depth]) => [
    `${'  '.repeat(depth)}${brief(run.agent_name, 30)}`,
    statusWord(run.status, style),
    run.id,
    figure(run.tokens_used),
    run.cost_usd === null ? '–' : dollars(run.cost_usd),
    run.duration_ms === null ? '–' : took(run.duration_ms),
  ]);
  for (const row of tableLines(['AGENT', 'STATUS', 'RUN', 'TOKENS', 'COST', 'DURATION'], rows, [3, 4, 5])) print(row);
  const { settled, unconfirmed } = tree;
  print(style('dim', `${figure(settled.tokens)} tokens, ${dollars(settled.cost_usd)} in all`));
  if (unconfirmed.calls > 0) {
    const worst = `${figure(unconfirmed.tokens)} tokens, ${dollars(unconfirmed.cost_usd)} at most`;
    print(
      style(
        'yellow',
        `${counted(unconfirmed.calls, 'call')} unconfirmed: lost in a crash, and perhaps billed (${worst})`,
      ),
    );
  }
}
