import type { TestReport } from './evidence.ts';
import { isRecord } from './json-value.ts';

/**
 * What a test runner's output says. Each reader takes what it knows for sure and nothing else; where none does, the
 * exit code is all there is.
 */
type Reader = (text: string) => TestReport | null;

const MOST_NAMED = 100;
const LONGEST_NAME = 300;

const report = (runner: string, counts: Partial<TestReport>, failing: Iterable<string> = []): TestReport => ({
  runner,
  passed: counts.passed ?? 0,
  failed: counts.failed ?? 0,
  skipped: counts.skipped ?? 0,
  failing: [...new Set(failing)].slice(0, MOST_NAMED).map((name) => name.trim().slice(0, LONGEST_NAME)),
});

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Without colours, which runners add where they think that a person looks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const COLOURS = /\u001b\[[0-9;]*m/g;

const allOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
const counted = (line: string, word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);

/** The JSON report that jest and vitest share, wherever in the output it stands. */
const jestJson: Reader = (text) => {
  const start = text.indexOf('{"num');
  if (start < 0) return null;
  const end = text.lastIndexOf('}');
  try {
    const found: unknown = JSON.parse(text.slice(start, end + 1));
    if (!isRecord(found) || typeof found.numPassedTests !== 'number') return null;
    const tests = recordsIn(found.testResults).flatMap((file) => recordsIn(file.assertionResults));
    const failing = tests
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, title }) => String(fullName ?? title));
    return report(
      'jest',
      {
        passed: found.numPassedTests,
        failed: numberIn(found.numFailedTests),
        skipped: numberIn(found.numPendingTests) + numberIn(found.numTodoTests),
      },
      failing,
    );
  } catch {
    return null;
  }
};

/** `Tests  1 failed | 2 passed | 1 skipped (4)` */
const vitestText: Reader = (text) => {
  const line = /^\s*Tests {2}(.*\(\d+\))\s*$/m.exec(text)?.[1];
  if (line === undefined) return null;
  const failing = allOf(text, /^\s*FAIL {2}(.+)$/gm).filter((name) => name.includes(' > '));
  return report(
    'vitest',
    {
      passed: counted(line, 'passed'),
      failed: counted(line, 'failed'),
      skipped: counted(line, 'skipped') + counted(line, 'todo'),
    },
    failing,
  );
};

/** `Tests:       1 failed, 2 passed, 3 total` */
const jestText: Reader = (text) => {
  const line = /^Tests:\s+(.*\d+ total)\s*$/m.exec(text)?.[1];
  if (line === undefined) return null;
  return report(
    'jest',
    {
      passed: counted(line, 'passed'),
      failed: counted(line, 'failed'),
      skipped: counted(line, 'skipped') + counted(line, 'todo'),
    },
    allOf(text, /^\s*● (.+)$/gm).filter((name) => !/^Console|^Test suite failed/.test(name)),
  );
};

/** `node --test`: its own lines (`ℹ pass 3`) or TAP (`# pass 3`). */
const nodeTest: Reader = (text) => {
  const figure = (name: string) => /\d+/.exec(new RegExp(`^[#ℹ] ${name} \\d+$`, 'm').exec(text)?.[0] ?? '')?.[0];
  const passed = figure('pass');
  const failed = figure('fail');
  if (passed === undefined || failed === undefined) return null;
  const named = [
    ...allOf(text, /^\s*not ok \d+ - (.+?)(?: # (?:SKIP|TODO).*)?$/gm),
    ...allOf(text, /^\s*✖ (.+?) \([\d.]+ms\)$/gm),
  ];
  const skipped = Number(figure('skipped') ?? 0) + Number(figure('todo') ?? 0);
  return report('node --test', { passed: Number(passed), failed: Number(failed), skipped }, named);
};

/** Test Anything Protocol of anybody else. */
const tap: Reader = (text) => {
  if (!/^(?:TAP version \d+|1\.\.\d+)/m.test(text)) return null;
  const lines = allOf(text, /^((?:not )?ok\b.*)$/gm);
  if (lines.length === 0) return null;
  const isSkipped = (line: string) => /# (?:skip|todo)/i.test(line);
  const failed = lines.filter((line) => line.startsWith('not ok') && !isSkipped(line));
  const skipped = lines.filter(isSkipped).length;
  return report(
    'tap',
    { passed: lines.length - failed.length - skipped, failed: failed.length, skipped },
    failed.map((line) => line.replace(/^not ok\s*\d*\s*-?\s*/, '')),
  );
};

/** `==== 1 failed, 2 passed, 1 skipped in 0.12s ====`, and the same without rules where it is quiet. */
const pytest: Reader = (text) => {
  const line = allOf(text, /^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$/gm).at(-1);
  if (line === undefined || !/passed|failed|error|skipped/.test(line)) return null;
  return report(
    'pytest',
    {
      passed: counted(line, 'passed') + counted(line, 'xpassed'),
      failed: counted(line, 'failed') + counted(line, 'errors?'),
      skipped: counted(line, 'skipped') + counted(line, 'xfailed') + counted(line, 'deselected'),
    },
    allOf(text, /^(?:FAILED|ERROR) (\S+(?:::[^\n]*?)?)(?: - .*)?$/gm),
  );
};

/** `Ran 3 tests in 0.001s` and `FAILED (failures=1, errors=1, skipped=1)` */
const unittest: Reader = (text) => {
  const ran = /^Ran (\d+) tests? in/m.exec(text)?.[1];
  if (ran === undefined) return null;
  const last = /^(?:OK|FAILED)(?: \((.*)\))?$/m.exec(text)?.[1] ?? '';
  const figure = (name: string) => Number(new RegExp(`(?:^|, )${name}=(\\d+)`).exec(last)?.[1] ?? 0);
  const failed = figure('failures') + figure('errors');
  const skipped = figure('skipped');
  return report(
    'unittest',
    { passed: Number(ran) - failed - skipped, failed, skipped },
    allOf(text, /^(?:FAIL|ERROR): (.+)$/gm),
  );
};

/** `--- FAIL: TestX (0.00s)` of `go test -v`, else its line a package. */
const goTest: Reader = (text) => {
  const tests = [...text.matchAll(/^\s*--- (PASS|FAIL|SKIP): (\S+) \(/gm)];
  const packages = [
    ...text.matchAll(/^(ok|FAIL|\?)\s+(\S+)\s+(?:[\d.]+s|\(cached\)|\[no test files\]|\[build failed\])/gm),
  ];
  if (packages.length === 0) return null;
  const of = (word: string) => tests.filter(([, outcome]) => outcome === word).map(([, , name]) => name ?? '');
  const failedPackages = packages.filter(([, outcome]) => outcome === 'FAIL').map(([, , name]) => name ?? '');
  const failing = of('FAIL').length > 0 ? of('FAIL') : failedPackages;
  const passed = of('PASS').length > 0 ? of('PASS').length : packages.filter(([, outcome]) => outcome === 'ok').length;
  return report('go test', { passed, failed: failing.length, skipped: of('SKIP').length }, failing);
};

/** `test result: FAILED. 2 passed; 1 failed; 1 ignored; …`, once a target. */
const cargoTest: Reader = (text) => {
  const lines = allOf(text, /^test result: (.+)$/gm);
  if (lines.length === 0) return null;
  const sum = (word: string) => lines.reduce((total, line) => total + counted(line, word), 0);
  return report(
    'cargo test',
    { passed: sum('passed'), failed: sum('failed'), skipped: sum('ignored') },
    allOf(text, /^test (.+) \.\.\. FAILED$/gm),
  );
};

/** `<testsuites tests="3" failures="1" …>` of anybody who writes JUnit's XML to its output. */
const junit: Reader = (text) => {
  const cases = [...text.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)];
  if (!/<testsuites?\b/.test(text) || cases.length === 0) return null;
  const attribute = (given: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(given)?.[1];
  const failed = cases.filter(([, , body = '']) => /<(?:failure|error)\b/.test(body));
  const skipped = cases.filter(([, , body = '']) => /<skipped\b/.test(body)).length;
  return report(
    'junit',
    { passed: cases.length - failed.length - skipped, failed: failed.length, skipped },
    failed.map(([, given = '']) => [attribute(given, 'classname'), attribute(given, 'name')].filter(Boolean).join(' ')),
  );
};

/** From those that cannot be mistaken to those that look alike. */
const READERS: Reader[] = [
  ...[jestJson, junit, cargoTest, goTest, vitestText, jestText, nodeTest, pytest, unittest, tap],
];

/** Null where no runner is recognised: then the exit code tells. */
export function readTestReport(output: string): TestReport | null {
  const text = output.replace(COLOURS, '');
  for (const read of READERS) {
    const found = read(text);
    if (found) return found;
  }
  return null;
}

/** How the tests of a project are run, by what lies in its root; null where nothing says. */
export function testCommandFor(files: { has: (name: string) => boolean; packageJson: string | null }): string | null {
  if (files.packageJson !== null && hasTestScript(files.packageJson)) return 'npm test';
  if (files.has('Cargo.toml')) return 'cargo test';
  if (files.has('go.mod')) return 'go test -v ./...';
  const isPython = ['pytest.ini', 'tox.ini', 'pyproject.toml', 'setup.py', 'setup.cfg', 'conftest.py'].some(files.has);
  if (isPython) return 'python3 -m pytest';
  if (files.has('Makefile')) return 'make test';
  return null;
}

function hasTestScript(packageJson: string): boolean {
  try {
    const found: unknown = JSON.parse(packageJson);
    return isRecord(found) && isRecord(found.scripts) && typeof found.scripts.test === 'string';
  } catch {
    return false;
  }
}
