import { BlockList, isIP } from 'node:net';

/**
 * Addresses that the internet does not route: this machine, its network, carriers, link-local (cloud metadata), tests, multicast, and IPv4
 * inside IPv6. An IPv4-mapped address is checked as IPv4.
 */
const PRIVATE = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(address, prefix, 'ipv6');

/** Link-local addresses: cloud metadata services, which return the machine's credentials. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export function isLinkLocal({ hostname }: Pick<URL, 'hostname'>): boolean {
  const family = isIP(bare(hostname));
  return family !== 0 && LINK_LOCAL.check(bare(hostname), family === 4 ? 'ipv4' : 'ipv6');
}

/** Returns true for a host outside the internet, by its address or by a name that no public server has. Does no lookup. */
export function isPrivateHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = bare(hostname);
  const family = isIP(host);
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/i.test(host);
}
