import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * A household or a phone gets these bits of an IPv6 address from its provider; it can change the other 64 at any time.
 */
const SITE_BITS = 64;
/** A wider network than this is probably a typing mistake. */
const WIDEST = { ipv4: 8, ipv6: 16 } as const;

interface Network {
  /** As it is stored and shown: `203.0.113.7`, `203.0.113.0/24`, `2001:db8:0:1::/64`. */
  name: string;
  family: 'ipv4' | 'ipv6';
  base: string;
  bits: number;
}

/**
 * One name for all users of an address: IPv4 unchanged, also when it is mapped into IPv6; for IPv6 the /64 network.
 * @param text an address, possibly with a port or a zone, as proxies write it
 * @returns `undefined` if the text is no address
 */
export function addressOf(text: string): string | undefined {
  const bare =
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ??
    (/^\d+\.\d+\.\d+\.\d+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text);
  if (isIPv4(bare)) return bare;
  const groups = groupsOf(bare);
  if (!groups) return undefined;
  return mappedIPv4(groups) ?? `${compress(groups, SITE_BITS)}/${SITE_BITS}`;
}

/** Parses an address or a network in CIDR notation; `undefined` for any other text and for too wide networks. */
export function networkOf(text: string): Network | undefined {
  const [, address, given] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  if (address === undefined) return undefined;
  if (isIPv4(address)) return ipv4Network(address, given === undefined ? 32 : Number(given));
  const groups = groupsOf(address);
  if (!groups) return undefined;
  const mapped = mappedIPv4(groups);
  if (mapped !== undefined) return ipv4Network(mapped, given === undefined ? 32 : Number(given) - 96);
  const bits = given === undefined || given === '128' ? SITE_BITS : Number(given);
  if (bits < WIDEST.ipv6 || bits > SITE_BITS) return undefined;
  const base = compress(groups, bits);
  return { name: `${base}/${bits}`, family: 'ipv6', base, bits };
}

function ipv4Network(address: string, bits: number): Network | undefined {
  if (bits < WIDEST.ipv4 || bits > 32) return undefined;
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const kept = number - (number % 2 ** (32 - bits));
  const base = [24, 16, 8, 0].map((shift) => Math.floor(kept / 2 ** shift) % 256).join('.');
  return { name: bits === 32 ? base : `${base}/${bits}`, family: 'ipv4', base, bits };
}

/** Tests whether an address, as named by `addressOf`, lies in one of these networks. */
export function networkMatcher(networks: readonly Network[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { base, bits, family } of networks) list.addSubnet(base, bits, family);
  return (address) =>
    address.includes(':') ? list.check(address.slice(0, address.indexOf('/')), 'ipv6') : list.check(address, 'ipv4');
}

/** The eight groups of an IPv6 address. */
function groupsOf(text: string): number[] | undefined {
  const address = text.split('%', 1)[0]!;
  if (isIP(address) !== 6) return undefined;
  // The last two groups may be written as IPv4.
  const hex = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a, b, c, d) => `${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`,
  );
  const [head = [], tail = []] = hex.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => parseInt(group, 16)),
  );
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function mappedIPv4(groups: readonly number[]): string | undefined {
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return undefined;
  return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
}

/** The first `bits` of these groups; the other bits are zero and left out. */
function compress(groups: readonly number[], bits: number): string {
  const kept = groups
    .slice(0, Math.ceil(bits / 16))
    .map((group, i) => group & (0xffff << Math.max(0, 16 * (i + 1) - bits)) & 0xffff);
  return `${kept.map((group) => group.toString(16)).join(':')}::`;
}
