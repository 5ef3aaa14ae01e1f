import { isRecord } from '../domain/json-value.ts';

/** A value that fits a JSON Schema, with the answer's text wherever the schema wants text. */
export function structuredAnswer(schema: Record<string, unknown>, text: string): unknown {
  const numbers = (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);

  function resolve(ref: string): unknown {
    return ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), schema);
  }

  function number(at: Record<string, unknown>, isWhole: boolean): number {
    const least = typeof at.minimum === 'number' ? at.minimum : Number.NEGATIVE_INFINITY;
    const most = typeof at.maximum === 'number' ? at.maximum : Number.POSITIVE_INFINITY;
    const found = numbers.find((value) => value >= least && value <= most && (!isWhole || Number.isInteger(value)));
    return found ?? (Number.isFinite(least) ? least : Math.min(0, most));
  }

  function object(at: Record<string, unknown>): Record<string, unknown> {
    const properties = isRecord(at.properties) ? at.properties : {};
    return Object.fromEntries(Object.entries(properties).map(([name, below]) => [name, value(below)]));
  }

  function value(at: unknown): unknown {
    if (!isRecord(at)) return text;
    if (typeof at.$ref === 'string') return value(resolve(at.$ref));
    if (at.const !== undefined) return at.const;
    if (Array.isArray(at.enum)) return at.enum.find((choice) => text.includes(String(choice))) ?? at.enum[0];
    const choices = at.anyOf ?? at.oneOf;
    if (Array.isArray(choices)) return value(choices[0]);
    const type = Array.isArray(at.type) ? at.type[0] : (at.type ?? (at.properties ? 'object' : 'string'));
    switch (type) {
      case 'object':
        return object(at);
      case 'array':
        return Array.from({ length: typeof at.minItems === 'number' ? at.minItems : 1 }, () => value(at.items));
      case 'integer':
      case 'number':
        return number(at, type === 'integer');
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return typeof at.maxLength === 'number' ? text.slice(0, at.maxLength) : text;
    }
  }

  return value(schema);
}
