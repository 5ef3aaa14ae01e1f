import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { obtainEngines } from '../engines/embedded.ts';
import { progressOn } from '../engines/progress.ts';

/** Brings the engines into the cache before tests and benches ask for them, with progress shown. */
const config = readConfig();
try {
  await obtainEngines({
    home: resolve(config.LONGHAUL_HOME, 'no-data-yet'),
    cache: resolve(config.LONGHAUL_CACHE),
    path: process.env.PATH ?? '',
    namespace: config.TEMPORAL_NAMESPACE,
    progress: progressOn(process.stdout),
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
