import { isRecord } from '../domain/json-value.ts';

/** Reads fields of an event's data. A field of another type is as good as none: a newer server may send it. */
type Data = Record<string, unknown>;

export const text = (data: Data, name: string): string => (typeof data[name] === 'string' ? data[name] : '');
export const textOrNull = (data: Data, name: string): string | null =>
  typeof data[name] === 'string' ? data[name] : null;
export const number = (data: Data, name: string): number => (typeof data[name] === 'number' ? data[name] : 0);
export const numberOrNull = (data: Data, name: string): number | null =>
  typeof data[name] === 'number' ? data[name] : null;
export const flag = (data: Data, name: string): boolean => data[name] === true;
export const record = (data: Data, name: string): Data => (isRecord(data[name]) ? data[name] : {});
export const records = (data: Data, name: string): Data[] =>
  Array.isArray(data[name]) ? data[name].filter(isRecord) : [];
