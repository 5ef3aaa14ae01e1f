// npm run build: programs, workflow bundle and web page into dist/, each only where its inputs changed.
import { installModules, requireNode, say, secondsSince } from './bootstrap.mjs';
import { makePart, staleParts } from './build-parts.mjs';

requireNode();
await installModules();
const outcomes = await Promise.all(
  staleParts().map(async (part) => {
    const since = Date.now();
    try {
      await makePart(part);
      say(`Built ${part.name} (${secondsSince(since)})`);
      return true;
    } catch (error) {
      say(`Building ${part.name} failed:\n${error.message}`);
      return false;
    }
  }),
);
process.exit(outcomes.every(Boolean) ? 0 : 1);
