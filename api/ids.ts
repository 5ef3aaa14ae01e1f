import { z } from 'zod';

/** The shape store/ids.ts gives: an id of another kind is a mistake that can be told without looking it up. */
export const idOf = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`), `an id like ${prefix}_… is expected`);

export const idParam = (prefix: string) => z.strictObject({ id: idOf(prefix) });
