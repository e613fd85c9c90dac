import { BlockList, isIP } from 'node:net';

type Subnet = readonly [address: string, prefix: number];

function blockListOf(ipv4: readonly Subnet[], ipv6: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ipv4) list.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of ipv6) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

/**
 * Addresses that the internet does not route: this machine, its network, carriers, link-local (cloud metadata), tests, multicast, and IPv4
 * inside IPv6. An IPv4-mapped address is checked as IPv4. Of IPv6, the internet routes 2000::/3.
 */
const PRIVATE = blockListOf(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['168.63.129.16', 32],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  [
    ['::', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 8],
    ['200::', 7],
    ['400::', 6],
    ['800::', 5],
    ['1000::', 4],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
    ['4000::', 2],
    ['8000::', 1],
  ],
);

/**
 * Addresses of metadata services, which return the credentials of the machine: link-local ones, also as IPv4 inside IPv6, and those that
 * single clouds use.
 */
const METADATA = blockListOf(
  [
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['169.254.0.0', 16],
    ['192.0.0.192', 32],
  ],
  [
    ['::a9fe:0', 112],
    ['::ffff:0:a9fe:0', 112],
    ['64:ff9b::a9fe:0', 112],
    ['64:ff9b:1::a9fe:0', 112],
    ['64:ff9b:1:a9fe::', 64],
    ['2002:a9fe::', 32],
    ['fd00:ec2::254', 128],
    ['fd20:ce::254', 128],
    ['fe80::', 10],
  ],
);

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Returns true for the address of a metadata service. Does no lookup. */
export function isMetadataHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = bare(hostname);
  const family = isIP(host);
  return family !== 0 && METADATA.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** Returns true for a host outside the internet, by its address or by a name that no public server has. Does no lookup. */
export function isPrivateHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = bare(hostname);
  const family = isIP(host);
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/i.test(host);
}
