import type { Evidence } from '../domain/evidence.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { runId } from './run-id.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { figure, took } from './words.ts';

const COMMAND_WIDTH = 60;

const typed = ({ argv }: Evidence): string =>
  /\/(?:ba)?sh$/.test(argv[0] ?? '') && argv[1] === '-c' ? (argv[2] ?? '') : argv.join(' ');

const outcome = ({ cut, exit_code, signal }: Evidence): string => cut ?? signal ?? String(exit_code ?? '?');

async function allOf(client: Client, run: string): Promise<Evidence[]> {
  const found: Evidence[] = [];
  const pages = everyItem((cursor) => client.runs.evidence(run, cursor === undefined ? {} : { cursor }));
  for await (const evidence of pages) found.push(evidence);
  return found;
}

/** Without a number what the run has executed; with one, all that it said. */
export async function evidenceCommand(
  given: string,
  number: string | undefined,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { client, print } = await openDesk({ json });
  const run = runId(given);
  const all = await allOf(client, run);
  if (number === undefined) {
    if (json) for (const evidence of all) print(JSON.stringify(evidence));
    else if (all.length === 0) print('This run has executed nothing.');
    else {
      const rows = all.map((evidence, index) => [
        String(index + 1),
        brief(typed(evidence), COMMAND_WIDTH),
        outcome(evidence),
        took(evidence.duration_ms),
        figure(evidence.output_chars),
        evidence.report ? `${evidence.report.passed} passed, ${evidence.report.failed} failed` : '–',
      ]);
      for (const row of tableLines(['#', 'COMMAND', 'EXIT', 'TIME', 'OUTPUT', 'TESTS'], rows, [3, 4])) print(row);
    }
    return;
  }
  const wanted = all[Number(number) - 1];
  if (!wanted) throw new Trouble(`There is no number ${number}.`, `List them with: longhaul evidence ${run}`);
  if (json) print(JSON.stringify(wanted));
  else print(`$ ${harmless(typed(wanted))}`);
  for (let offset: number | null = 0; offset !== null; ) {
    const part = await client.runs.evidencePart(run, wanted.id, { offset });
    process.stdout.write(harmless(part.output));
    offset = part.next_offset;
  }
  if (!json) print(`\nexit ${outcome(wanted)}, ${took(wanted.duration_ms)}`);
}
