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
  edits: [
    ['bundle_ratio', 'at most 3', 'diff bundle of 2,000 hunks in 500 files, over `git diff` of the same change'],
    ['replay_ms', 'under 200', 'working buffer of a file with 5,000 changes, in ms'],
    ['search_ratio', 'at most 2', 'search of 50,000 files, over `rg` with the same query; the worst of four queries'],
  ],
  workspace: [
    ['checkout_ratio', 'at most 1.5', 'checkout of a repository of 10,000 files, warm, over `git worktree add`'],
    ['confine_ms', 'under 30', 'what confinement adds to a command, in ms'],
    ['snapshot_ms', 'under 100', 'snapshot after a change of one file in it, in ms, in a process as large as a worker'],
    ['failover_ms', 'under 20000', 'from kill -9 of the executor to the next step on another one, in ms'],
  ],
  dispatch: [
    [
      'p95_ms',
      'under 150',
      'a whole decision among 500 tools and agents, with a model that answers at once, in ms, for 95 of 100',
    ],
    [
      'accuracy_shortlist',
      'at least 0.85',
      'right by relevance alone, on the half of the routing set that was not tuned on',
    ],
    ['ece', 'at most 0.1', 'expected calibration error of its confidence, likewise'],
    ['accuracy_model', 'at least 0.95', 'right with a model double that knows the labels, among 500, likewise'],
    ['rules_broken', '0', 'what was selected or offered though it is off, with a double that names it'],
  ],
  quote: [
    [
      'p90_coverage',
      '0.85 to 0.95',
      'of 400 runs, as a part of 1, that cost no more than the p90 quoted from 300 earlier ones; sizes by seeded dice',
    ],
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
const byPlace = new Map();
for (const { name, found } of results) {
  if (!found) continue;
  const place = `on ${found.machine}, ${found.date.slice(0, 10)}`;
  byPlace.set(place, [...(byPlace.get(place) ?? []), `\`${name}\``]);
}
const places = [...byPlace].map(([place, names]) => `${names.join(', ')} ${place}`);
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
