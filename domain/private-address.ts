import ipaddr from 'ipaddr.js';

/** Public by number, and yet the network around a machine: the host of a virtual machine answers there. */
const HOST_AGENTS = new Set(['168.63.129.16']);

/** The last 32 bits of an address that begins with nothing else: an IPv4 one in an old notation. */
const isBareIpv4 = (parts: number[]): boolean => parts.slice(0, 6).every((part) => part === 0);

/**
 * Whether an IP address is one that only the network around this machine can reach. All that is not plainly public is
 * taken for private: ranges that are reserved, and IPv4 in other clothes, of which nobody knows where they lead.
 */
export function isPrivateIp(ip: string): boolean {
  const [address = ''] = ip.split('%');
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || HOST_AGENTS.has(parsed.toString())) return true;
  return parsed instanceof ipaddr.IPv6 && isBareIpv4(parsed.parts);
}

/** An address in the one spelling it is compared by, IPv4 in the clothes of IPv6 undressed; null where it is none. */
export function plainAddress(ip: string): string | null {
  const [address = ''] = ip.split('%');
  return ipaddr.isValid(address) ? ipaddr.process(address).toNormalizedString() : null;
}

/** Names that never lead elsewhere; what other names lead to is seen when they are looked up. */
const PRIVATE_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|corp|lan|home|home\.arpa)\.?$/i;

const isIp = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/** The host as `URL` writes it: `URL` has already read 0x7f.1 and 2130706433 as what they are. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIp(host)) return isPrivateIp(host);
  return PRIVATE_NAME.test(host) || !host.replace(/\.$/, '').includes('.');
}

/** An address of a server, or what is wrong with it. Keys belong into keys: an address is no secret. */
export function readAddress(text: string): URL | string {
  if (!URL.canParse(text)) return 'the address of a server, such as https://models.example.org/v1';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'an address that begins with http:// or https://';
  if (url.username || url.password || url.search || url.hash) return 'an address without user, query or fragment';
  return url;
}
