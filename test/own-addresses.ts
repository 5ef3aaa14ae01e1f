import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { afterAll, beforeAll, vi } from 'vitest';

/** For the tests of a file, this machine has addresses that anybody could reach. */
export function haveOwnAddresses(...addresses: string[]): void {
  beforeAll(() => {
    const interfaces = addresses.map((address): os.NetworkInterfaceInfo => {
      const about = { address, mac: '00:00:00:00:00:00', internal: false, cidr: null };
      return address.includes(':')
        ? { ...about, family: 'IPv6', netmask: 'ffff:ffff:ffff:ffff::', scopeid: 0 }
        : { ...about, family: 'IPv4', netmask: '255.255.255.0' };
    });
    vi.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: interfaces });
    syncBuiltinESMExports();
  });
  afterAll(() => {
    vi.mocked(os.networkInterfaces).mockRestore();
    syncBuiltinESMExports();
  });
}
