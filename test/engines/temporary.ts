import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone when all tests have ended, as everything is that they write. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'longhaul-test-'));
