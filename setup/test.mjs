// npm test [-- filter …]: everything needed, then the checks and all tests. The last line counts them all.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, show, tool } from './bootstrap.mjs';
import { runChecks } from './checks.mjs';
import { findChromium } from './chromium.mjs';
import { fetchEngines, prepare } from './prepare.mjs';

const filter = process.argv.slice(2);
await prepare();

const [checks, fetched, chromium] = await Promise.all([
  filter.length > 0 ? { passed: 0, failed: 0 } : runChecks(),
  fetchEngines(),
  findChromium(),
]);
const tests = fetched === 0 ? await runTests(chromium) : { passed: 0, failed: 1 };
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runTests(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-results-'));
  const report = join(folder, 'report.json');
  try {
    const code = await show(
      tool('vitest'),
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filter],
      browser ? { CHROMIUM: browser } : {},
    );
    return count(report, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that cannot be loaded or an error outside of all tests fails the run without a failed test: counted as one. */
function count(report, code) {
  try {
    const { numPassedTests: passed, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    ).length;
    const failed = numFailedTests + broken;
    return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
  } catch (error) {
    say(`The tests left no report: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
}
