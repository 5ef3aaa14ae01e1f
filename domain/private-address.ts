/** What an address stands for where it is an IPv4 one, also within IPv6; null where it is none. */
function ipv4Of(host: string): number[] | null {
  const dotted = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i.exec(host);
  if (dotted) return dotted.slice(1).map(Number);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host);
  if (!mapped) return null;
  return mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function isPrivateIpv4([a = 0, b = 0, c = 0]: number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && c === 0) ||
    (a === 198 && (b === 18 || b === 19))
  );
}

/** Loopback, unspecified, link-local, unique local, multicast, and IPv4 in other clothes. */
const PRIVATE_IPV6 = /^(::1?$|fe[89ab]|f[cd]|ff|64:ff9b:|2002:)/i;

/** Whether an IP address is one that only the network around this machine can reach. */
export function isPrivateIp(ip: string): boolean {
  const v4 = ipv4Of(ip);
  return v4 ? isPrivateIpv4(v4) : PRIVATE_IPV6.test(ip);
}

/** Names that never lead elsewhere; what other names lead to is seen when they are looked up. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i;

const isIp = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/** The host as `URL` writes it: `URL` has already read 0x7f.1 and 2130706433 as what they are. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIp(host) ? isPrivateIp(host) : PRIVATE_NAME.test(host) || !host.includes('.');
}

/** An address of a server, or what is wrong with it. Keys belong into keys: an address is no secret. */
export function readAddress(text: string): URL | string {
  if (!URL.canParse(text)) return 'the address of a server, such as https://models.example.org/v1';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'an address that begins with http:// or https://';
  if (url.username || url.password || url.search || url.hash) return 'an address without user, query or fragment';
  return url;
}
