import type { Plane } from '../../../transforms/geo/plane.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type ParcelSet, prepareParcels } from '../../../transforms/layers/parcel_set.ts';
import { type HomeAddress, lonOnProperty } from './home_addresses.ts';

/** Returns the addresses' points as flat lon, lat pairs, GDA2020 degrees; NaN: no point on the property. */
export function pointsOf(addresses: readonly HomeAddress[]): Float64Array {
  const lonlat = new Float64Array(addresses.length * 2).fill(Number.NaN);
  for (let i = 0; i < addresses.length; i++) {
    const lon = lonOnProperty(addresses[i]!);
    if (lon === null) continue;
    lonlat[i * 2] = lon;
    lonlat[i * 2 + 1] = addresses[i]!.lat!;
  }
  return lonlat;
}

/** Prepares the parcels with an address, and numbers them by parcel_id. */
export function parcelsWithAddress(
  addresses: readonly HomeAddress[],
  shapes: readonly { parcel_id: string; geom: Uint8Array }[],
  plane: Plane,
): { parcels: ParcelSet; numberOf: ReadonlyMap<string, number> } {
  const wantedKeys = new Set<string | null>();
  for (const { parcel_id } of addresses) wantedKeys.add(parcel_id);
  const used = shapes.filter(({ parcel_id }) => wantedKeys.has(parcel_id));
  const parcels = prepareParcels(
    used.map(({ geom }) => decodeWkb(geom)),
    plane,
  );
  return { parcels, numberOf: new Map(used.map(({ parcel_id }, i) => [parcel_id, i])) };
}
