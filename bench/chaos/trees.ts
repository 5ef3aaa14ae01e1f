import type { RunEvent } from '../../domain/run-events.ts';
import type { StubModel } from '../stub-model.ts';
import type { Played } from './player.ts';
import type { Product } from './product.ts';
import { flawsOf } from './whole.ts';

async function eventsOf({ client }: Product, id: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await client.runs.eventPage(id, { cursor: events.length + 1 });
    if (page.events.length === 0) return events;
    events.push(...page.events);
  }
}

/** Answers that reached their end at the model more than once: bought again, or lost on their way. */
const repeats = (stub: StubModel, names: string[]): number =>
  names.flatMap((name) => stub.answers.get(name) ?? []).reduce((sum, count) => sum + Math.max(0, count - 1), 0);

/** The runs below, each as whole as its root; and what the model counted for all of them against what they own up to. */
export async function treeOf(
  product: Product,
  stub: StubModel,
  job: string,
  { run, unconfirmed }: Played,
): Promise<{ flaws: string[]; unconfirmed: number }> {
  const tree = await product.client.runs.tree(run.id);
  const below = await Promise.all(
    tree.runs.filter(({ id }) => id !== run.id).map(({ id }) => product.client.runs.get(id)),
  );
  const flaws: string[] = [];
  for (const { id } of below) flaws.push(...flawsOf(await eventsOf(product, id)).map((flaw) => `${id}: ${flaw}`));
  const lost = below.reduce((sum, child) => sum + child.unconfirmed_calls, unconfirmed);
  const bought = repeats(stub, [job, ...below.map(({ input }) => String(input))]);
  if (bought > lost) flaws.push(`${bought} answers were bought again, ${lost} of them owned up to`);
  return { flaws, unconfirmed: lost };
}
