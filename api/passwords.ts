import { hash, verify } from '@node-rs/argon2';
import { newSecret } from '../store/secrets.ts';

/** argon2id, which is what the library takes unless told otherwise; the costs are those OWASP names. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Nobody's password: an unknown account takes as long to refuse as a wrong password. */
const nobody = hashPassword(newSecret());

export async function passwordFits(stored: string | null, password: string): Promise<boolean> {
  const fits = await verify(stored ?? (await nobody), password);
  return fits && stored !== null;
}
