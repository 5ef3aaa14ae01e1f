import vm from 'node:vm';
import { matchPatternsWith, PatternTooSlow } from './domain/output-schema.ts';

/** Too short to take long, whatever the pattern. */
const SHORT_CHARS = 16;
/** Of one text, and of all that are slow: far more than an honest pattern needs on a machine that is busy. */
const MOST_MS = 1_000;
/** What takes longer is counted; an honest pattern takes a twentieth of it. */
const SLOW_MS = 1;
const COUNTED_FOR_MS = 60_000;

const place = vm.createContext({ expression: /x/u, text: '' });
const script = new vm.Script('expression.test(text)');

/** By its code: it may be an error of the other context. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** One pattern, and how long it has held up everybody lately: many texts that take nearly too long are too long as well. */
class BoundedPattern {
  private readonly expression: RegExp;
  private slow = { since: 0, ms: 0 };

  constructor(pattern: string, flags: string) {
    this.expression = new RegExp(pattern, flags);
  }

  test(text: string): boolean {
    if (text.length <= SHORT_CHARS) return this.expression.test(text);
    const began = performance.now();
    if (began - this.slow.since > COUNTED_FOR_MS) this.slow = { since: began, ms: 0 };
    const left = Math.floor(MOST_MS - this.slow.ms);
    if (left <= 0) throw new PatternTooSlow(this.expression.source);
    try {
      Object.assign(place, { expression: this.expression, text });
      return script.runInContext(place, { timeout: left });
    } catch (error) {
      throw isTimeout(error) ? new PatternTooSlow(this.expression.source) : error;
    } finally {
      const took = performance.now() - began;
      if (took > SLOW_MS) this.slow.ms += took;
      Object.assign(place, { text: '' });
    }
  }
}

/**
 * Patterns in schemas are written by members and by other systems, and some take for ever on the right text (`(a+)+$`):
 * for that time the process would answer nobody. Each is given a moment, and no more. For the entry points.
 */
export const boundPatterns = (): void => matchPatternsWith((pattern, flags) => new BoundedPattern(pattern, flags));
