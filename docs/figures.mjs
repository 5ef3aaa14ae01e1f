// npm run figures: writes what the benches measured (bench/results) into README.md. With --check it only compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const MARKED = /(<!-- figures: [^>]*-->\n)([\s\S]*?)(<!-- end of figures -->)/;

/** [key, goal, meaning]; the benches measure more, these are the ones that are promised. */
const FIGURES = {
  overhead: [
    ['seq_ratio', 'at most 0.5', 'time per step, one run at a time'],
    ['throughput_ratio', 'at least 2', 'steps per second, 50 runs at once'],
    ['recover_ms', 'at most 3500', 'from kill -9 of the worker in mid-call to the end of the run, in ms'],
    ['repeated_calls', '0', 'finished model answers that were bought again'],
    ['first_step_ratio', 'at most 1.3', 'time from the request to the first model call'],
    ['memory_ratio', 'at most 1.3', 'peak memory of API and worker, over that of the bare worker'],
  ],
  history: [
    ['bytes_per_turn', 'at most 1024', 'Temporal history that one more turn costs, in bytes'],
    ['events_per_turn', 'constant', 'the same in history events'],
  ],
  runs: [
    ['throughput_ratio', 'at least 2', 'steps per second, 200 runs of 10 turns at once on one worker'],
    ['memory_growth', 'under 0.05', 'what the worker holds more after 2,000 further runs, as a part of what it held'],
    ['waiting_mb', 'under 250', 'what API and worker together hold more for 5,000 runs that wait for a person, in MB'],
    ['wake_p95_ms', 'under 1000', 'from the answer of that person to the next model call, in ms, for 95 of 100 runs'],
  ],
  live: [
    [
      'first_token_p95_ms',
      'under 100',
      'from the first token of an answer to the watching client, in ms, for 95 of 100; 200 clients on two APIs',
    ],
    ['event_p95_ms', 'under 60', 'from the append of an event to the watching client, likewise'],
  ],
};

function resultsOf(name) {
  const path = at(`bench/results/${name}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

const results = Object.keys(FIGURES).map((name) => ({ name, found: resultsOf(name) }));
const rows = results.flatMap(({ name, found }) =>
  FIGURES[name].map(
    ([key, goal, meaning]) =>
      `| \`${name}\` | \`${key}\` | ${found?.figures[key] ?? 'not measured yet'} | ${goal} | ${meaning} |`,
  ),
);
const places = results
  .filter(({ found }) => found)
  .map(({ name, found }) => `\`${name}\` on ${found.machine}, ${found.date.slice(0, 10)}`);
const table = [
  '| bench | figure | measured | goal | meaning |',
  '|---|---|---|---|---|',
  ...rows,
  '',
  places.length > 0 ? `Measured: ${places.join('; ')}.` : 'Nothing has been measured yet.',
  '',
].join('\n');

const readme = at('README.md');
const text = readFileSync(readme, 'utf8');
const [, , written] = MARKED.exec(text) ?? [];
if (written === undefined) {
  process.stderr.write('README.md has no place for figures (<!-- figures: … --> … <!-- end of figures -->).\n');
  process.exit(1);
}
if (written === table) process.exit(0);
if (process.argv.includes('--check')) {
  process.stderr.write('The figures in README.md are not those of bench/results: run `npm run figures`.\n');
  process.exit(1);
}
// As a function: figures must not be read as patterns of replacement.
writeFileSync(
  readme,
  text.replace(MARKED, (_all, begin, _old, end) => `${begin}${table}${end}`),
);
process.stdout.write('README.md has the figures of bench/results.\n');
