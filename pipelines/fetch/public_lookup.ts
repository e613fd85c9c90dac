import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPrivateHost } from '../../store/system/private_host.ts';
import { unavailable } from './failure.ts';

/**
 * Returns a lookup for connections that rejects a public name with a private address: its owner could direct a download into the operator's
 * network. The connection uses the checked address. Behind a proxy, the proxy resolves names.
 */
export function publicLookup(resolve: LookupFunction = lookup as LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((each) => each.address);
      const inside = addresses.find((each) => isPrivateHost({ hostname: each }));
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
