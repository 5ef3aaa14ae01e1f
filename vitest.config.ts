import { defineConfig } from 'vitest/config';
import { HeavyFirst } from './test/heavy-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/shared-engines.ts'],
    pool: 'forks',
    // Most of the time tests wait for engines and browsers: one more than the cores of a small machine.
    maxWorkers: 3,
    sequence: { sequencer: HeavyFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition is waited for as long as a busy machine may need, and looked at often.
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});
