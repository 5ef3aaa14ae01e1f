import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpu } from './cpu.ts';
import { dispatch } from './dispatch.ts';
import { edits } from './edits.ts';
import { history } from './history.ts';
import { live } from './live.ts';
import { machine } from './measure.ts';
import { overhead } from './overhead.ts';
import { quote } from './quote.ts';
import { runs } from './runs.ts';
import { workspace } from './workspace.ts';

/** `scale` below 1 makes everything fewer, to try whether it works; what has one size only takes no notice. */
type Bench = (say: (line: string) => void, scale: number) => Promise<Record<string, number>>;

const BENCHES: Record<string, Bench> = { overhead, history, runs, live, edits, workspace, dispatch, quote, cpu };

const { values, positionals } = parseArgs({ allowPositionals: true, options: { scale: { type: 'string' } } });
const [name = ''] = positionals;
const scale = Number(values.scale ?? 1);
const bench = BENCHES[name];
if (!bench || !(scale > 0 && scale <= 1)) {
  console.error(`Which one? npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--scale 0.1]`);
  process.exit(1);
}
const figures = await bench((line) => console.log(line), scale);
const rounded = Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]));
const width = Math.max(...Object.keys(rounded).map((key) => key.length));
for (const [key, value] of Object.entries(rounded)) console.log(`${key.padEnd(width)}  ${value}`);
if (scale === 1) {
  const results = fileURLToPath(new URL('../../bench/results/', import.meta.url));
  mkdirSync(results, { recursive: true });
  const record = { name, figures: rounded, machine: machine(), date: new Date().toISOString() };
  writeFileSync(`${results}${name}.json`, `${JSON.stringify(record, null, 2)}\n`);
} else console.log('Tried at another size than what is promised: nothing was written.');
process.exit(0);
