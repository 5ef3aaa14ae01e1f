import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where files take longest, by their folder. */
const HEAVY = ['journeys', 'crashes', 'workflows', 'cli', 'triggers', 'engines', 'store'];

/**
 * The longest begin first, so that nobody waits for one of them in the end. How long each takes is not known in a
 * fresh clone, and the size of a file says little: the longest of all are a few lines that gather others.
 */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const [, folder = ''] = relative(this.ctx.config.root, moduleId).split(sep);
      const found = HEAVY.indexOf(folder);
      return found < 0 ? HEAVY.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
