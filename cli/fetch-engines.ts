import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { obtainBubblewrap } from '../engines/bubblewrap.ts';
import { obtainEngines } from '../engines/embedded.ts';
import { progressOn } from '../engines/progress.ts';

/** Brings the engines into the cache before tests and benches ask for them, with progress shown. */
const config = readConfig();
try {
  const wanted = {
    cache: resolve(config.LONGHAUL_CACHE),
    path: process.env.PATH ?? '',
    progress: progressOn(process.stdout),
  };
  const engines = {
    ...wanted,
    home: resolve(config.LONGHAUL_HOME, 'no-data-yet'),
    namespace: config.TEMPORAL_NAMESPACE,
  };
  await Promise.all([obtainEngines(engines), config.LONGHAUL_BWRAP ?? obtainBubblewrap(wanted)]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
