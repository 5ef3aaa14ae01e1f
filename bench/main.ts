import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { history } from './history.ts';
import { machine } from './measure.ts';
import { overhead } from './overhead.ts';

type Bench = (say: (line: string) => void) => Promise<Record<string, number>>;

const BENCHES: Record<string, Bench> = { overhead, history };

const [name = ''] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench) {
  console.error(`Which one? npm run bench -- ${Object.keys(BENCHES).join(' | ')}`);
  process.exit(1);
}
const figures = await bench((line) => console.log(line));
const rounded = Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]));
const results = fileURLToPath(new URL('../../bench/results/', import.meta.url));
mkdirSync(results, { recursive: true });
const record = { name, figures: rounded, machine: machine(), date: new Date().toISOString() };
writeFileSync(`${results}${name}.json`, `${JSON.stringify(record, null, 2)}\n`);
const width = Math.max(...Object.keys(rounded).map((key) => key.length));
for (const [key, value] of Object.entries(rounded)) console.log(`${key.padEnd(width)}  ${value}`);
process.exit(0);
