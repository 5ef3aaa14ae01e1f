import type { InboxItem } from '../../../domain/pending.ts';

export const keyOf = (item: InboxItem): string =>
  `${item.run_id}-${item.action?.id ?? item.question?.id ?? item.review?.review_id}`;

const byAge = (a: InboxItem, b: InboxItem): number =>
  a.since.localeCompare(b.since) || keyOf(a).localeCompare(keyOf(b));

/** Oldest first. */
export const inOrder = (items: readonly InboxItem[]): InboxItem[] => items.toSorted(byAge);

/**
 * The one that is chosen. Where that has gone, whether it was answered here or elsewhere, the one after it, or before
 * it where it was the last: whoever goes through them is not sent back to the beginning.
 */
export function placeOf(items: readonly InboxItem[], chosen: InboxItem | null): number {
  if (!chosen) return 0;
  const there = items.findIndex((item) => keyOf(item) === keyOf(chosen));
  if (there >= 0) return there;
  const next = items.findIndex((item) => byAge(item, chosen) > 0);
  return next >= 0 ? next : Math.max(0, items.length - 1);
}
