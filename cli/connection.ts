import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { readJson } from '../engines/json-file.ts';
import { type Client, createClient } from '../sdk/client.ts';
import { Trouble } from './trouble.ts';

const ANSWER_MS = 5_000;

const rememberedSchema = z.object({ url: z.string(), api_key: z.string().optional() });

export interface Address {
  url: string;
  apiKey: string;
}

const same = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;

/** From the environment, else as the last start on this machine left it. */
export function addressOf(config: Config): Address {
  const file = join(resolve(config.LONGHAUL_HOME), 'cli.json');
  const remembered = readJson(file, rememberedSchema);
  const url = config.LONGHAUL_URL ?? remembered?.url;
  if (url === undefined) {
    throw new Trouble(
      `Longhaul has not been started with the data in ${resolve(config.LONGHAUL_HOME)} yet.`,
      'Start it with `npm start`, or set LONGHAUL_URL and LONGHAUL_API_KEY to use one that runs elsewhere.',
    );
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new Trouble(`"${url}" is not an address.`, 'Set LONGHAUL_URL to something like http://127.0.0.1:7400');
  }
  // The key of this machine is for this machine's server: no other address is ever shown it.
  const kept = remembered && same(remembered.url, url) ? remembered.api_key : undefined;
  const apiKey = config.LONGHAUL_API_KEY ?? kept;
  if (apiKey === undefined) {
    throw new Trouble(
      `There is no API key for ${url}.`,
      'Make one on its settings page and set LONGHAUL_API_KEY to it.',
    );
  }
  return { url, apiKey };
}

/** Asks first whether anybody is there, so that a server that is not running is told at once. */
export async function connect(config: Config): Promise<Client> {
  const { url, apiKey } = addressOf(config);
  try {
    await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch {
    throw new Trouble(
      `Nothing answers at ${url}.`,
      'Start Longhaul with `npm start` and try again; `longhaul doctor` says what is missing.',
    );
  }
  return createClient({ url, apiKey });
}
