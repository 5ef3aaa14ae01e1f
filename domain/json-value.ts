export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (value: Record<string, unknown>): string[] =>
  Object.keys(value).filter((name) => value[name] !== undefined);

/** By what they hold, whatever the order of fields: a server need not keep it. A field without a value is none. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, n) => isSameValue(each, b[n]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = fieldsOf(a);
  return (
    names.length === fieldsOf(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name], b[name]))
  );
}
