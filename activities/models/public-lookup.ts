import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPrivateIp } from '../../domain/private-address.ts';

export class PrivateAddress extends Error {
  readonly code = 'EPRIVATE';
  constructor(host: string) {
    super(`${host} lies in a private network; only an admin can point an agent there`);
  }
}

/** Looked at when the connection is made: what a name led to when it was set says nothing about where it leads now. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const refused = addresses.some(({ address }) => isPrivateIp(address)) ? new PrivateAddress(hostname) : null;
    const [first] = addresses;
    if (refused || !first) return callback(refused ?? new PrivateAddress(hostname), '');
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
