import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isMetadataHost, isPrivateHost } from '../../store/system/private_host.ts';
import { downloadUnavailable } from './download_failure.ts';

const resolveName = lookup as LookupFunction;

/** Returns a lookup that fails if `refusalOf` returns an error for the name and its addresses. The connection uses the checked address. */
const checkedLookup =
  (
    resolve: LookupFunction,
    refusalOf: (hostname: string, addresses: readonly string[]) => Error | null,
  ): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((item) => item.address);
      const refusal = error === null ? refusalOf(hostname, addresses) : null;
      if (refusal !== null) callback(refusal, '', 0);
      else callback(error, address, family);
    });

/**
 * Returns a lookup for connections that rejects a public name with a private address: its owner could direct a download into the operator's
 * network. Behind a proxy, the proxy resolves names.
 */
export const publicLookup = (resolve: LookupFunction = resolveName): LookupFunction =>
  checkedLookup(resolve, (hostname, addresses) => {
    const inside = addresses.find((address) => isPrivateHost({ hostname: address }));
    return inside === undefined || isPrivateHost({ hostname }) ? null : leadsInside(hostname, inside);
  });

/**
 * Returns the lookup of a client that an operator configures: as `publicLookup` unless `mayGoInside`, and no name may lead to a metadata
 * service, which returns the machine's credentials.
 */
export const guardedLookup = (mayGoInside: boolean, resolve: LookupFunction = resolveName): LookupFunction =>
  checkedLookup(mayGoInside ? resolve : publicLookup(resolve), (hostname, addresses) => {
    const metadata = addresses.find((address) => isMetadataHost({ hostname: address }));
    return metadata === undefined ? null : leadsToMetadata(hostname, metadata);
  });

const leadsToMetadata = (hostname: string, address: string): Error =>
  downloadUnavailable(`${hostname} has the address ${address} of a metadata service, which is never read.`, {
    again: false,
  });

const leadsInside = (hostname: string, address: string): Error =>
  downloadUnavailable(
    `${hostname} has the address ${address}, which is not a public internet address. If that is intended, set downloads.private_addresses: true.`,
    { again: false },
  );
