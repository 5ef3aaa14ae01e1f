import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPrivateHost, isPrivateIp, plainAddress } from '../domain/private-address.ts';

export class PrivateAddress extends Error {
  readonly code = 'EPRIVATE';
  constructor(host: string) {
    super(`${host} lies in a private network; only an admin can point an agent there`);
  }
}

/** A machine reaches itself by its public address too, past whatever guards it from outside. */
function isOwnAddress(ip: string): boolean {
  const wanted = plainAddress(ip);
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return wanted !== null && own.some(({ address }) => plainAddress(address) === wanted);
}

/** Of this machine or the network around it. */
export const isNearbyIp = (ip: string): boolean => isPrivateIp(ip) || isOwnAddress(ip);

/** The same of a host as `URL` writes it; where a name leads is seen when it is looked up. */
export const isNearbyHost = (host: string): boolean =>
  isPrivateHost(host) || isOwnAddress(host.replace(/^\[|\]$/g, ''));

/** How names are looked up: by the machine, or by who stands in for it in a test. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looked at when the connection is made, which goes to what was looked at: what a name led to when it was set says
 * nothing about where it leads now.
 */
export const lookUpPublicBy =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const refused = addresses.some(({ address }) => isNearbyIp(address)) ? new PrivateAddress(hostname) : null;
      const [first] = addresses;
      if (refused || !first) return callback(refused ?? new PrivateAddress(hostname), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

export const lookUpPublic: LookupFunction = lookUpPublicBy(lookup);
