import mongoose from 'mongoose';
import { isDuplicate, nativeCollection } from './connection.ts';
import type { LogToken } from './log-tail.ts';

/**
 * How far the audit log has followed the logs of runs, and who follows them at present. One process at a time does,
 * so that the work is done once; two would do no harm, since the same entry gives the same lines.
 */
export interface AuditPosition {
  /** Where the change stream goes on; null where it never began. */
  token: LogToken | null;
  /** Entries of before this time are told. */
  upto: Date | null;
}

interface PositionDoc extends AuditPosition {
  _id: string;
  holder: string | null;
  /** By the store's clock, which all processes share. */
  until: Date;
}

mongoose.model(
  'AuditPosition',
  new mongoose.Schema<PositionDoc>(
    { _id: String, holder: String, until: Date, token: mongoose.Schema.Types.Mixed, upto: Date },
    { collection: 'audit_position', versionKey: false },
  ),
);
const positions = () => nativeCollection<PositionDoc>('audit_position');

const _id = 'log';
const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });

/** The right to follow for so long, with the place to go on from; null while somebody else has it. */
export async function claimPosition(holder: string, leaseMs: number): Promise<AuditPosition | null> {
  try {
    const isFree = { $or: [{ $eq: ['$holder', holder] }, { $lte: [{ $ifNull: ['$until', '$$NOW'] }, '$$NOW'] }] };
    const take = (value: unknown, field: string) => ({ $cond: [isFree, value, field] });
    const now = await positions().findOneAndUpdate(
      { _id },
      [{ $set: { holder: take(holder, '$holder'), until: take(inMs(leaseMs), '$until') } }],
      { upsert: true, returnDocument: 'after' },
    );
    return now?.holder === holder ? { token: now.token ?? null, upto: now.upto ?? null } : null;
  } catch (error) {
    // Two who came first at once.
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/** Keeps the place, and the right for longer; false where somebody else has taken it meanwhile. */
export async function keepPosition(holder: string, { token, upto }: AuditPosition, leaseMs: number): Promise<boolean> {
  const { matchedCount } = await positions().updateOne({ _id, holder }, [
    { $set: { token: { $literal: token }, upto: { $literal: upto }, until: inMs(leaseMs) } },
  ]);
  return matchedCount === 1;
}

/** For whoever comes next, without waiting for the lease to end. */
export async function leavePosition(holder: string): Promise<void> {
  await positions().updateOne({ _id, holder }, [{ $set: { holder: null, until: '$$NOW' } }]);
}

/** Before what time everything in the logs of runs is in the audit log as well; null where nothing is yet. */
export async function auditedUpTo(): Promise<Date | null> {
  return (await positions().findOne({ _id }))?.upto ?? null;
}
