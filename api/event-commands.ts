import type { Logger } from 'pino';
import { type EventNames, eventInput, isWanted } from '../domain/event.ts';
import { ExpressionProblem } from '../domain/expression.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import {
  addAttempt,
  type DeliveryDoc,
  type DeliveryPart,
  deliveriesToStart,
  deliveryDocId,
  demandRedeliverable,
  knownDelivery,
  partOf,
  recordDelivery,
  settlePart,
} from '../store/event-deliveries.ts';
import type { SourceDoc } from '../store/event-sources.ts';
import { loadSubscription, type SubscriptionDoc, subscriptionsOf } from '../store/event-subscriptions.ts';
import { draftTriggered } from '../store/triggered-runs.ts';
import type { RunStarter } from '../workflows/start.ts';
import { begin } from './begun-runs.ts';

const namesOf = (doc: DeliveryDoc): EventNames => ({
  payload: JSON.parse(doc.payload),
  headers: doc.headers,
  source: { id: doc.source_id, name: doc.source_name },
  delivery: { id: doc.delivery_id, received_at: doc.created_at.toISOString() },
});

function mappedInput(subscription: SubscriptionDoc, names: EventNames): unknown {
  try {
    return eventInput(subscription, names);
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    throw new Failure('bad_mapping', `input_mapping: ${error.message}.`, { field: 'input_mapping' });
  }
}

/** What came in, as its sender signed it. */
export interface Received {
  delivery_id: string;
  fingerprint: string;
  payload: string;
  headers: Record<string, string>;
}

/** A delivery is recorded with the ids of the runs it starts; then they are started, by whoever gets to it. */
export class EventCommands {
  constructor(
    private readonly starter: RunStarter,
    private readonly logger: Logger,
  ) {}

  /** The runs are started behind the back of who sent it: being recorded is all they wait for. */
  async receive(source: SourceDoc, received: Received): Promise<{ id: string; duplicate: boolean }> {
    const id = deliveryDocId(source._id, received.delivery_id);
    const now = new Date();
    const doc: DeliveryDoc = {
      _id: id,
      org_id: source.org_id,
      workspace_id: source.workspace_id,
      source_id: source._id,
      source_name: source.name,
      ...received,
      status: 'pending',
      attempts: 1,
      parts: [],
      checked_at: now,
      created_at: now,
    };
    doc.parts = await this.partsOf(doc, 1);
    if (doc.parts.length === 0) doc.status = 'unmatched';
    const recorded = await recordDelivery(doc);
    if (!recorded) {
      const first = await knownDelivery(source._id, id, received.fingerprint);
      return { id: first?._id ?? id, duplicate: true };
    }
    this.startLater(recorded);
    return { id, duplicate: false };
  }

  private startLater(doc: DeliveryDoc): void {
    this.startAll(doc).catch((err: unknown) =>
      this.logger.warn({ err, delivery_id: doc._id }, 'the runs of a delivery will be started later'),
    );
  }

  private async partsOf(doc: DeliveryDoc, attempt: number): Promise<DeliveryPart[]> {
    const names = namesOf(doc);
    const wanted = (await subscriptionsOf(doc.source_id)).filter((subscription) => isWanted(subscription, names));
    return wanted.map((subscription) => partOf(doc._id, subscription, attempt));
  }

  private async startAll(doc: DeliveryDoc): Promise<void> {
    const names = namesOf(doc);
    for (const part of doc.parts) {
      if (part.state === 'pending') await this.start(doc, part, names);
    }
  }

  private async start({ _id, source_name }: DeliveryDoc, part: DeliveryPart, names: EventNames): Promise<void> {
    const { run_id, subscription_id } = part;
    try {
      const subscription = await loadSubscription(subscription_id);
      if (!subscription) throw new Failure('not_found', 'The subscription was deleted meanwhile.', { subscription_id });
      const { caller, draft } = await draftTriggered(subscription, {
        run_id,
        source: `webhook: ${source_name}`,
        input: mappedInput(subscription, names),
        trigger_type: 'event',
        event_delivery_id: _id,
      });
      await begin(this.starter, this.logger, caller, draft);
      await settlePart(_id, run_id, null);
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { code, message } = error;
      await settlePart(_id, run_id, { code, message, at: new Date().toISOString() });
    }
  }

  /** Once more, for the subscriptions there are now. */
  async redeliver(caller: Caller, id: string): Promise<void> {
    for (;;) {
      const doc = await demandRedeliverable(caller, id);
      const attempts = doc.attempts + 1;
      const parts = await this.partsOf(doc, attempts);
      if (!(await addAttempt(doc, parts))) continue;
      return this.startAll({ ...doc, attempts, parts });
    }
  }

  /** Those whose process died between record and start. */
  async startWaiting(before: Date, limit: number): Promise<number> {
    const found = await deliveriesToStart(before, limit);
    for (const doc of found) {
      this.logger.info({ delivery_id: doc._id }, 'starting the runs of a delivery that was recorded and never started');
      await this.startAll(doc);
    }
    return found.length;
  }
}
