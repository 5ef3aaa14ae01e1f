import { defineConfig } from 'vitest/config';
import { HeavyFirst } from './test/heavy-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/shared-engines.ts'],
    pool: 'forks',
    // Files that come after another in a process find its modules loaded: each has a store, a queue and ports of its own.
    isolate: false,
    // Most of the time tests wait for engines and browsers: one more than the cores of a small machine.
    maxWorkers: 3,
    sequence: { sequencer: HeavyFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition is waited for as long as a busy machine may need, and not looked at so often that it is busier for it.
    expect: { poll: { timeout: 60_000, interval: 50 } },
  },
});
