import express, { type Request, type Response } from 'express';
import { Failure } from '../domain/failures.ts';

const ORDINARY = '1mb';
const readers = new Map<string, ReturnType<typeof express.json>>();

function readerFor(limit: string): ReturnType<typeof express.json> {
  const known = readers.get(limit);
  if (known) return known;
  const fresh = express.json({ limit, strict: true, type: () => true });
  readers.set(limit, fresh);
  return fresh;
}

/** The store holds documents to a nesting of 100, and content lies a few levels deep in them. */
const MAX_DEPTH = 60;

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** Read only after the caller is known, so that a stranger cannot make us hold a megabyte. */
export async function readBody(req: Request, res: Response, limit = ORDINARY): Promise<unknown> {
  if (!hasBody(req)) return undefined;
  if (!req.is('application/json')) {
    throw new Failure(
      'unsupported_media_type',
      `A body of type ${req.get('content-type') ?? '(none)'} is not understood.`,
    );
  }
  await new Promise<void>((done, fail) =>
    readerFor(limit)(req, res, (error?: unknown) => (error ? fail(error) : done())),
  );
  demandShallow(req.body);
  return req.body;
}

export function demandShallow(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new Failure('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`, { in: 'body' });
    }
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}
