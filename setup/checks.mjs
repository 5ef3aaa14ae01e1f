// The checks that need no engine: style, types, unused code, direction of imports.
import { readdirSync } from 'node:fs';
import { at, capture, ROOT, say, secondsSince, tool } from './bootstrap.mjs';

const sources = () =>
  readdirSync(ROOT, { withFileTypes: true })
    .filter(
      ({ name }) =>
        !name.startsWith('.') && !['node_modules', 'dist', 'docs'].includes(name) && !/\.(?!ts$)/.test(name),
    )
    .map(({ name }) => name);

const CHECKS = [
  { name: 'style (biome)', run: () => capture(tool('biome'), ['ci', '--colors=off', '.']) },
  // The native compiler has no API: dependency-cruiser reads sources with the one before it. Several checkers would each
  // work out the same types for themselves, which takes longer on two cores, and more than twice the processor time.
  {
    name: 'types (tsc)',
    run: () => capture(process.execPath, [at('node_modules/typescript-native/bin/tsc'), '--noEmit', '--checkers', '1']),
  },
  { name: 'unused code (knip)', run: () => capture(tool('knip'), ['--no-progress']) },
  {
    name: 'import rule (dependency-cruiser)',
    run: () =>
      capture(tool('depcruise'), ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...sources()]),
  },
];

/** Returns how many passed and failed. */
export async function runChecks() {
  const outcomes = await Promise.all(
    CHECKS.map(async ({ name, run }) => {
      const since = Date.now();
      const { code, output } = await run();
      say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${secondsSince(since)})`);
      if (code !== 0) say(output.trimEnd());
      return code === 0;
    }),
  );
  const passed = outcomes.filter(Boolean).length;
  return { passed, failed: outcomes.length - passed };
}
