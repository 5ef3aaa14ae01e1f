import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import express, { type Express, type Request } from 'express';
import { z } from 'zod';
import { HOOK_HEADERS, REPLAY_WINDOW_S, SIGNATURE_VERSION } from '../domain/event.ts';
import { Failure } from '../domain/failures.ts';
import { loadHookSecret, loadSource } from '../store/event-sources.ts';
import type { SecretKeys } from '../store/secrets.ts';
import type { AppDeps } from './app.ts';
import { EventCommands } from './event-commands.ts';
import { FloodGate } from './flood-gate.ts';
import type { Documented } from './openapi.ts';
import { demandStorable } from './request-body.ts';
import { nameRoute } from './request-log.ts';

const SOURCE = /^src_[0-9a-z]{26}$/;
const DELIVERY = /^[\x21-\x7e]{1,200}$/;
/** What a mapping may read of the request; nothing that opens anything. */
const KEPT = /^(?:content-type|user-agent|x-(?!longhaul-)[\w-]+)$/;
const SECRETIVE = /auth|token|secret|signature|cookie|key/;
const MOST_KEPT = 30;

const readRaw = express.raw({ limit: '1mb', type: () => true });

function keptHeaders({ headers }: Request): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && KEPT.test(name) && !SECRETIVE.test(name) ? [[name, value.slice(0, 500)]] : [],
  );
  return Object.fromEntries(kept.slice(0, MOST_KEPT));
}

/** Over `<timestamp>.<body>`, as hex. */
export const hookSignature = (secret: string, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');

const refused = (message: string): Failure => new Failure('bad_signature', message);

/** The secret, and now: an old request is nobody's to send again. */
function demandSigned(req: Request, secret: string, body: Uint8Array, now: number): string {
  const timestamp = req.get(HOOK_HEADERS.timestamp) ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) throw refused(`${HOOK_HEADERS.timestamp} must be the time in whole seconds.`);
  if (Math.abs(now / 1000 - Number(timestamp)) > REPLAY_WINDOW_S) {
    throw refused(`${HOOK_HEADERS.timestamp} is more than ${REPLAY_WINDOW_S} seconds away from our clock.`);
  }
  const expected = Buffer.from(hookSignature(secret, timestamp, body));
  // Several may be given while a sender changes from one secret to the next.
  const given = (req.get(HOOK_HEADERS.signature) ?? '').split(',').map((each) => each.trim());
  const fits = given.some((each) => {
    const [version, hex = ''] = each.split('=', 2);
    const sent = Buffer.from(hex.toLowerCase());
    return version === SIGNATURE_VERSION && sent.length === expected.length && timingSafeEqual(sent, expected);
  });
  if (!fits) throw refused(`${HOOK_HEADERS.signature} does not fit the secret of this source.`);
  return expected.toString();
}

function signatureOf(req: Request, secret: string, body: Uint8Array, onRefused: () => void): string {
  try {
    return demandSigned(req, secret, body, Date.now());
  } catch (error) {
    onRefused();
    throw error;
  }
}

function demandJson(req: Request, body: Uint8Array): string {
  if (!req.is(['application/json', '+json'])) {
    throw new Failure('unsupported_media_type', `A body of type ${req.get('content-type') ?? '(none)'} is not taken.`);
  }
  const text = Buffer.from(body).toString('utf8');
  try {
    demandStorable(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Failure('invalid_json', 'The body is not JSON.');
    throw error;
  }
  return text;
}

function deliveryIdOf(req: Request, signature: string): string {
  const given = req.get(HOOK_HEADERS.delivery);
  if (given === undefined) return createHash('sha256').update(signature).digest('hex').slice(0, 32);
  if (!DELIVERY.test(given)) {
    const said = 'at most 200 visible ASCII characters';
    throw new Failure('invalid_request', `${HOOK_HEADERS.delivery}: ${said}.`, {
      in: 'header',
      fields: { [HOOK_HEADERS.delivery]: said },
    });
  }
  return given;
}

/** Of one source in a minute and process: each may start many runs. */
const MOST_DELIVERIES = 600;
/** Of one source from one address in a minute, before nothing more of it is read. */
const MOST_REFUSED = 60;

const PLACE = '/hooks/:source';
const receivedSchema = z.object({ delivery_id: z.string(), duplicate: z.boolean() });

/** As the OpenAPI document has it. */
export const HOOK: Documented = {
  method: 'post',
  path: PLACE,
  tag: 'Events',
  summary: 'Receive an event; the signature stands for a token, and what is subscribed runs afterwards',
  auth: 'none',
  params: z.strictObject({ source: z.string() }),
  query: undefined,
  headers: z.strictObject({
    [HOOK_HEADERS.timestamp]: z.string().describe(`Seconds since 1970, at most ${REPLAY_WINDOW_S} from our clock`),
    [HOOK_HEADERS.signature]: z
      .string()
      .describe(`${SIGNATURE_VERSION}= and the HMAC-SHA256 of <timestamp>.<body> under the secret, in hex`),
    [HOOK_HEADERS.delivery]: z
      .string()
      .max(200)
      .optional()
      .describe('What the sender calls it: sent again under the same name it is the same delivery'),
  }),
  body: z.unknown().describe('Any JSON, as mappings and filters read it under payload'),
  conditional: false,
  replies: { 202: receivedSchema },
  mediaType: undefined,
  stream: undefined,
};

/** Webhooks: outside of the API, since who sends them is no user; the signature is all they have. */
export function serveHooks(app: Express, { runs, logger, secretKey, previousKeys = [] }: AppDeps): void {
  const events = new EventCommands(runs.starter, logger);
  const keys: SecretKeys = [secretKey, ...previousKeys];
  const deliveries = new FloodGate(MOST_DELIVERIES);
  // By address as well: who does not know the secret must not be able to keep out who does.
  const refusals = new FloodGate(MOST_REFUSED);
  app.post<{ source: string }>(PLACE, async (req, res) => {
    nameRoute(res, PLACE);
    res.set('Cache-Control', 'no-store');
    const { source: id } = req.params;
    const source = SOURCE.test(id) ? await loadSource(id) : null;
    if (!source) throw new Failure('not_found', 'Nothing is received here.');
    const sender = `${id} ${req.ip}`;
    refusals.demandRoom(sender, 'Too many requests from here were not signed for this source.');
    deliveries.demandRoom(id, `This source takes ${MOST_DELIVERIES} deliveries a minute.`);
    await new Promise<void>((done, fail) => readRaw(req, res, (error?: unknown) => (error ? fail(error) : done())));
    const body: Uint8Array = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const secret = await loadHookSecret(keys, source);
    if (secret === null) throw new Failure('credential_unreadable', 'The secret of this source does not open.');
    const signature = signatureOf(req, secret, body, () => refusals.count(sender));
    deliveries.count(id);
    const received = await events.receive(source, {
      delivery_id: deliveryIdOf(req, signature),
      fingerprint: signature,
      payload: demandJson(req, body),
      headers: keptHeaders(req),
    });
    const told: z.infer<typeof receivedSchema> = { delivery_id: received.id, duplicate: received.duplicate };
    res.status(202).json(told);
  });
}
