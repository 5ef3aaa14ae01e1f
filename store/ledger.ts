import mongoose from 'mongoose';
import type { Budget } from '../domain/budget.ts';
import type { Limit, Reserve, Spent } from '../domain/facts.ts';
import { isDuplicate, nativeCollection } from './connection.ts';

/**
 * What the runs of one tree may still use. A run alone needs none of it: its log has one writer and says it all. Where
 * several runs draw on the same budget at once, the worst case of a call is taken here first, from the run and all
 * above it, in one conditional update: so no two of them can take the same rest. Whole numbers only.
 */
interface LedgerDoc extends mongoose.mongo.Document {
  _id: string;
  /** Rest by run; of those below the root, while they are at work. */
  free: Record<string, Spent>;
  /** Calls under way, by their key. One that stays here may have been billed, and is never given back. */
  open: Record<string, Spent>;
}

const schema = new mongoose.Schema<LedgerDoc>(
  { _id: String, free: mongoose.Schema.Types.Mixed, open: mongoose.Schema.Types.Mixed },
  { collection: 'ledgers', versionKey: false, minimize: false },
);
mongoose.model('Ledger', schema);
const ledgers = () => nativeCollection<LedgerDoc>('ledgers');

/** In the place of no limit: more than could ever be used, and far from where whole numbers end. */
const UNLIMITED = 2 ** 50;

/** Gives a run its share; safe to repeat. */
export async function openAccount(root: string, run: string, budget: Budget): Promise<void> {
  const { max_iterations: iterations, max_tokens: tokens, max_micros } = budget;
  const share: Spent = { iterations, tokens, micros: max_micros ?? UNLIMITED };
  await ledgers()
    .insertOne({ _id: root, free: {}, open: {} })
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  await ledgers().updateOne({ _id: root, [`free.${run}`]: { $exists: false } }, { $set: { [`free.${run}`]: share } });
}

/**
 * Takes the shares of runs that have ended out, so that a tree of many does not write them all with every call. What
 * they used is counted for those above them, and a call of theirs that is still open stays so.
 */
export async function closeAccounts(root: string, runs: string[]): Promise<void> {
  if (runs.length === 0) return;
  const $unset = Object.fromEntries(runs.map((run) => [`free.${run}`, '' as const]));
  await ledgers().updateOne({ _id: root }, { $unset });
}

export interface CallKey {
  /** From the root down to the run that calls. */
  line: string[];
  turn: number;
  try: number;
}

const rootOf = ({ line }: CallKey): string => line[0] ?? '';
const keyOf = ({ line, turn, try: attempt }: CallKey): string => `${line.at(-1)}-${turn}-${attempt}`;

const forAll = (line: string[], { iterations, tokens, micros }: Spent): Record<string, number> =>
  Object.fromEntries(
    line.flatMap((run) => [
      [`free.${run}.iterations`, iterations],
      [`free.${run}.tokens`, tokens],
      [`free.${run}.micros`, micros],
    ]),
  );

/**
 * Null where it was taken; else what there is too little of. Asking again with the same key changes nothing but what
 * the call may cost: whoever asked before died before the call left, and the conversation may have grown since.
 */
export async function reserve(call: CallKey, { tokens, micros }: Reserve): Promise<Limit | null> {
  const { line } = call;
  const key = `open.${keyOf(call)}`;
  const taken: Spent = { iterations: 1, tokens, micros };
  if (await take(call, { [key]: { $exists: false } }, taken, taken)) return null;
  const ledger = await ledgers().findOne({ _id: rootOf(call) });
  const before = ledger?.open[keyOf(call)];
  const more = { iterations: 0, tokens: tokens - (before?.tokens ?? 0), micros: micros - (before?.micros ?? 0) };
  if (before && (await take(call, { [key]: before }, more, taken))) return null;
  const rests = line.flatMap((run) => ledger?.free[run] ?? []);
  if (!before && rests.some((rest) => rest.iterations < 1)) return 'iterations';
  return rests.some((rest) => rest.tokens < (before ? more.tokens : tokens)) ? 'tokens' : 'cost';
}

/** Takes so much more from the run and all above it, if all of them have it, and keeps what is taken in all. */
async function take(
  call: CallKey,
  where: mongoose.mongo.Filter<LedgerDoc>,
  more: Spent,
  taken: Spent,
): Promise<boolean> {
  const enough = Object.entries(forAll(call.line, more)).map(([field, least]) => [field, { $gte: least }]);
  const { matchedCount } = await ledgers().updateOne(
    { _id: rootOf(call), ...where, ...Object.fromEntries(enough) },
    {
      $inc: forAll(call.line, { iterations: -more.iterations, tokens: -more.tokens, micros: -more.micros }),
      $set: { [`open.${keyOf(call)}`]: taken },
    },
  );
  return matchedCount === 1;
}

/** Puts what a call used in the place of what was taken for it. A call that is not open changes nothing. */
export async function settle(call: CallKey, taken: Reserve, used: Spent): Promise<void> {
  const back: Spent = {
    iterations: 1 - used.iterations,
    tokens: taken.tokens - used.tokens,
    micros: taken.micros - used.micros,
  };
  const key = `open.${keyOf(call)}`;
  await ledgers().updateOne(
    { _id: rootOf(call), [key]: { $exists: true } },
    { $inc: forAll(call.line, back), $unset: { [key]: '' } },
  );
}

/** What a tree still may use, for whoever wants to see it. */
export const loadLedger = (root: string): Promise<LedgerDoc | null> => ledgers().findOne({ _id: root });
