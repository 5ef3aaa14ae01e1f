/** How a command ended, as its result begins to tell it. */
export interface CommandEnd {
  isGood: boolean;
  exit_code: number | null;
  /** What ended it before its end. */
  cut: string | null;
  tests: { passed: number; failed: number } | null;
}

/** Results are written by us and begin with what matters; what the command itself has said comes after. */
const TESTED =
  /^\{"passed":(true|false),"tests":(?:null|\{"runner":"[^"]*","passed":(\d+),"failed":(\d+))(?:,"exit_code":(\d+|null))?/;
const RAN = /^\{"exit_code":(null|\d+)(?:,"signal":"\w+")?(?:,"cut":"(\w+)")?/;

const numberIn = (text: string | undefined): number | null =>
  text === undefined || text === 'null' ? null : Number(text);

/** From the beginning of a result, which is all that events carry of it; null where it is none of a command. */
export function commandEnd(summary: string): CommandEnd | null {
  const [, verdict, passed, failed, code] = TESTED.exec(summary) ?? [];
  if (verdict !== undefined) {
    const tests = passed === undefined ? null : { passed: Number(passed), failed: Number(failed) };
    return { isGood: verdict === 'true', exit_code: numberIn(code), cut: null, tests };
  }
  const [, exit, cut = null] = RAN.exec(summary) ?? [];
  if (exit === undefined) return null;
  return { isGood: exit === '0', exit_code: numberIn(exit), cut, tests: null };
}
