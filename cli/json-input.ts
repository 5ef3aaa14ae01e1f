import { readFile } from 'node:fs/promises';
import { Trouble } from './trouble.ts';

/** What a program gives as it is: JSON where it is JSON, words where it is not. */
export function inputIn(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** A file, where it is the name of one; else the text itself. */
export async function jsonFrom(flag: string, given: string): Promise<Record<string, unknown>> {
  const text = given.trim().startsWith('{') ? given : await readFile(given, 'utf8').catch(() => given);
  const value = inputIn(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Trouble(`--${flag} takes a JSON object, or the name of a file that holds one.`);
}
