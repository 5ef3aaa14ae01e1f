import express, { type Request, type Response } from 'express';
import { Failure } from '../domain/failures.ts';
import { storageProblem } from '../domain/storable.ts';

const ORDINARY = '1mb';
const readers = new Map<string, ReturnType<typeof express.json>>();

function readerFor(limit: string): ReturnType<typeof express.json> {
  const known = readers.get(limit);
  if (known) return known;
  const fresh = express.json({ limit, strict: true, type: () => true });
  readers.set(limit, fresh);
  return fresh;
}

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
  demandStorable(req.body);
  return req.body;
}

/** What the store cannot hold is a mistake of who sends it, however free the field is. */
export function demandStorable(body: unknown): void {
  const problem = storageProblem(body);
  if (problem) throw new Failure('invalid_request', `The body cannot be stored: ${problem}.`, { in: 'body' });
}
