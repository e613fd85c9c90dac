import { addressZoneAsset } from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Row } from '../../schema/table.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { buildPointLookup } from '../../transforms/point_lookup.ts';
import { input, stage } from '../engine/stage.ts';
import { isServed, servedDrop } from './served.ts';

export const addressZoneStage = stage({
  name: 'address_zone',
  version: 1,
  doc: 'The planning zone at the point of each live principal address that has a position on its parcel.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, [
      'cell',
      'gnaf_pid',
      'is_live',
      'alias_principal',
      'geocode_type',
      'geocode_level',
      'lon',
      'lat',
    ]),
    zone: input(zonePieceRecord, ['cell', 'zone_id', 'code', 'name', 'category', 'geom']),
  },
  output: addressZoneAsset,
  compute({ address, zone }, { cell }) {
    const lookup = buildPointLookup(zone.map((row) => row.geom));
    const rows: Row<typeof addressZoneAsset>[] = [];
    const drops: Record<string, number> = {};
    const drop = (name: string): void => {
      drops[name] = (drops[name] ?? 0) + 1;
    };
    for (const row of address) {
      if (!isServed(row)) drop(servedDrop(row));
      else if (!hasParcelPosition(row)) drop('no_parcel_position');
      else {
        // Zones of one scheme do not overlap; where two do, the lowest zone_id wins (the input is sorted by it).
        const found = lookup.first(row.lon!, row.lat!);
        if (found < 0) drop('no_zone_at_point');
        else {
          const { zone_id, code, name, category } = zone[found]!;
          rows.push({ cell, gnaf_pid: row.gnaf_pid, zone_id, code, name, category });
        }
      }
    }
    return { rows, account: { in: address.length, out: rows.length, drops } };
  },
});
