import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unavailable } from './failure.ts';

/** Addresses that the internet does not route: this machine, its network, carriers, link-local ones (cloud metadata), tests, groups, and IPv4 inside IPv6. */
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
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(address, prefix, 'ipv6');

/** Link-local addresses: metadata of clouds, and with them the credentials of the machine. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export function isLinkLocal({ hostname }: Pick<URL, 'hostname'>): boolean {
  const family = isIP(bare(hostname));
  return family !== 0 && LINK_LOCAL.check(bare(hostname), family === 4 ? 'ipv4' : 'ipv6');
}

/** True for a host that is not on the internet, by its address or by a name that no public server has. Does no lookup. */
export function isPrivateHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = bare(hostname);
  const family = isIP(host);
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/i.test(host);
}

/**
 * Resolves names for a connection, and refuses a public name with a private address: its owner could direct a download into the
 * operator's network. The connection uses the checked address. Behind a proxy the proxy resolves names.
 */
export function publicLookup(resolve: LookupFunction = lookup as LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, address, family) => {
      const found = typeof address === 'string' ? [address] : (address ?? []).map((each) => each.address);
      const inside = found.find((each) => isPrivateHost({ hostname: each }));
      if (error === null && inside !== undefined && !isPrivateHost({ hostname }))
        callback(leadsInside(hostname, inside), '', 0);
      else callback(error, address, family);
    });
  };
}

const leadsInside = (hostname: string, address: string): Error =>
  unavailable(
    `${hostname} has the address ${address}, which is not a public internet address. If that is intended, set downloads.private_addresses: true.`,
    { again: false },
  );
