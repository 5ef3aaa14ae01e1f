import type { Request } from 'express';
import { invalid } from './route.ts';

/** A definition's version, as the header that If-Match is compared with. */
export const versionTag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

/** The version the caller has read and decided on; null where it does not say. */
export function expectedVersion(req: Request): number | null {
  const given = req.get('if-match')?.trim();
  if (given === undefined || given === '*') return null;
  const [, version] = /^(?:W\/)?"?(\d{1,9})"?$/.exec(given) ?? [];
  if (version === undefined) throw invalid('header', { 'If-Match': 'a version like "3" is expected' });
  return Number(version);
}
