import { describe, expect, it } from 'vitest';
import { readTestReport, testCommandFor } from '../../domain/test-report.ts';

const lines = (...text: string[]): string => text.join('\n');

describe('what a test runner said', () => {
  it.each<[string, string, object | null]>([
    [
      'vitest, in words and colours',
      lines(
        '\u001b[31m FAIL \u001b[39m sum.test.ts > adds > carries',
        'AssertionError: expected 1 to be 2',
        ' Test Files  1 failed (1)',
        '      Tests  1 failed | 2 passed | 1 skipped (4)',
      ).replace(' FAIL \u001b[39m ', ' FAIL \u001b[39m '),
      { runner: 'vitest', passed: 2, failed: 1, skipped: 1, failing: ['sum.test.ts > adds > carries'] },
    ],
    [
      'vitest and jest as JSON, after other output',
      `> test\n{"numTotalTests":3,"numPassedTests":1,"numFailedTests":1,"numPendingTests":1,"numTodoTests":0,"testResults":[{"assertionResults":[{"status":"failed","fullName":"adds carries"},{"status":"passed","fullName":"x"}]}]}\n`,
      { runner: 'jest', passed: 1, failed: 1, skipped: 1, failing: ['adds carries'] },
    ],
    [
      'jest, in words',
      lines('  ● sum › adds', '', 'Tests:       1 failed, 1 skipped, 2 passed, 4 total', 'Time: 1 s'),
      { runner: 'jest', passed: 2, failed: 1, skipped: 1, failing: ['sum › adds'] },
    ],
    [
      'node --test, as TAP',
      lines(
        'TAP version 13',
        'ok 1 - adds',
        'not ok 2 - takes away',
        '  ---',
        '# tests 3',
        '# pass 1',
        '# fail 1',
        '# skipped 1',
        '# todo 0',
      ),
      { runner: 'node --test', passed: 1, failed: 1, skipped: 1, failing: ['takes away'] },
    ],
    [
      'node --test, for people',
      lines('✔ adds (0.5ms)', '✖ takes away (1.2ms)', 'ℹ tests 2', 'ℹ pass 1', 'ℹ fail 1', 'ℹ skipped 0', 'ℹ todo 0'),
      { runner: 'node --test', passed: 1, failed: 1, skipped: 0, failing: ['takes away'] },
    ],
    [
      'pytest',
      lines(
        'FAILED test_sum.py::test_adds - assert 1 == 2',
        'ERROR test_io.py',
        '=== 1 failed, 2 passed, 1 skipped, 1 error in 0.12s ===',
      ),
      { runner: 'pytest', passed: 2, failed: 2, skipped: 1, failing: ['test_sum.py::test_adds', 'test_io.py'] },
    ],
    ['pytest, quietly', '..\n2 passed in 0.01s\n', { runner: 'pytest', passed: 2, failed: 0, failing: [] }],
    [
      'unittest',
      lines('FAIL: test_adds (tests.Sum)', 'Ran 3 tests in 0.001s', '', 'FAILED (failures=1, skipped=1)'),
      { runner: 'unittest', passed: 1, failed: 1, skipped: 1, failing: ['test_adds (tests.Sum)'] },
    ],
    [
      'go test -v',
      lines(
        '--- PASS: TestAdds (0.00s)',
        '--- FAIL: TestTakes (0.00s)',
        '--- SKIP: TestSlow (0.00s)',
        'FAIL',
        'FAIL\texample.org/sum\t0.002s',
      ),
      { runner: 'go test', passed: 1, failed: 1, skipped: 1, failing: ['TestTakes'] },
    ],
    [
      'go test, by package',
      'ok  \texample.org/sum\t0.002s\nok  \texample.org/io\t(cached)\n',
      { runner: 'go test', passed: 2, failed: 0 },
    ],
    [
      'cargo test, over several targets',
      lines(
        'test adds ... ok',
        'test takes ... FAILED',
        'test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out',
        'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
      ),
      { runner: 'cargo test', passed: 3, failed: 1, skipped: 1, failing: ['takes'] },
    ],
    [
      'JUnit XML',
      '<testsuites><testsuite name="s"><testcase classname="sum" name="adds"/><testcase classname="sum" name="takes"><failure message="no"/></testcase><testcase name="slow"><skipped/></testcase></testsuite></testsuites>',
      { runner: 'junit', passed: 1, failed: 1, skipped: 1, failing: ['sum takes'] },
    ],
    [
      'TAP of somebody else',
      lines('1..3', 'ok 1 - adds', 'not ok 2 - takes', 'ok 3 - slow # SKIP'),
      { runner: 'tap', passed: 1, failed: 1, skipped: 1, failing: ['takes'] },
    ],
    ['nobody that is known', 'all is well\n', null],
    ['a program that speaks of tests', 'Tests are important. 3 passed by.\n', null],
  ])('is read: %s', (_runner, output, expected) => {
    if (expected === null) expect(readTestReport(output)).toBeNull();
    else expect(readTestReport(output)).toMatchObject(expected);
  });
});

describe('how tests are run', () => {
  const of = (names: string[], packageJson: string | null = null) =>
    testCommandFor({ has: (name) => names.includes(name), packageJson });
  it.each([
    ['npm test', of([], '{"scripts": {"test": "vitest"}}')],
    ['cargo test', of(['Cargo.toml'])],
    ['go test -v ./...', of(['go.mod'])],
    ['python3 -m pytest', of(['pyproject.toml'])],
    ['make test', of(['Makefile'], '{"scripts": {}}')],
    [null, of(['README.md'], 'not json')],
  ])('is found out from the project: %s', (command, found) => {
    expect(found).toBe(command);
  });
});
