import { defineConfig } from 'vitest/config';
export default defineConfig({ test: { pool: 'forks', testTimeout: 30000, hookTimeout: 60000, globalSetup: ['/tmp/lead/globals.ts'], include: ['test/**/*.test.ts'] } });
