import type { Client } from '@temporalio/client';
import mongoose from 'mongoose';
import { historiesOf, payloadsOf } from '../workflows/history.ts';

/** Written apart from the scrubber, which it is the judge of. */
function forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(2, -2),
  );
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...shifted,
    ...shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** A place where something was said, and what was said there. */
export type Said = [place: string, text: string];

export function found(said: Said[], secrets: readonly string[]): string[] {
  const wanted = secrets.flatMap((secret) => forms(secret).map((form) => [secret, form] as const));
  const hits = said.flatMap(([place, text]) =>
    wanted.filter(([, form]) => text.includes(form)).map(([secret]) => `${place}: ${secret.slice(0, 8)}…`),
  );
  return [...new Set(hits)];
}

/** Every string and every byte, the bytes as text: files in GridFS lie in pieces of them. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof mongoose.mongo.Binary) return [Buffer.from(value.buffer).toString('utf8')];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([name, field]) => [name, ...textsOf(field)]);
}

/** Every document of every collection, as it is stored. */
export async function documentsSaid(): Promise<Said[]> {
  const { db } = mongoose.connection;
  const said: Said[] = [];
  for (const { name } of (await db?.listCollections().toArray()) ?? []) {
    for (const document of (await db?.collection(name).find().toArray()) ?? []) {
      said.push([`collection ${name}`, textsOf(document).join('\n')]);
    }
  }
  return said;
}

/** Everything in the histories of these runs: payloads decoded, and whatever is beside them. */
export async function historiesSaid(client: Client, runs: string[]): Promise<Said[]> {
  const histories = await Promise.all(runs.map((run) => historiesOf(client, run)));
  return histories
    .flat()
    .flatMap((history): Said[] => [
      ...payloadsOf(history).map((payload): Said => ['a payload', payload.toString('utf8')]),
      ['a history', JSON.stringify(history)],
    ]);
}
