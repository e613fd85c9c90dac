import { addressRegionAsset, addressZoneAsset } from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

export const servePropertyZoningStage = stage({
  name: 'serve_property_zoning',
  version: 1,
  doc: 'Rows of serving.property_zoning: the zone at the point of each property.',
  subject: 'zone',
  inputs: {
    zone: input(addressZoneAsset, ['gnaf_pid', 'zone_id', 'code', 'name', 'category']),
    region: input(addressRegionAsset, ['gnaf_pid', 'sa2', 'sa3']),
    address: input(addressRecord, ['gnaf_pid', 'state']),
  },
  output: propertyZoningTable,
  compute({ zone, region, address }, { cell }) {
    const regions = byPid(region);
    const addresses = byPid(address);
    const rows = zone.map((row) => {
      const { sa2, sa3 } = regions.get(row.gnaf_pid)!;
      return { ...row, cell, state: addresses.get(row.gnaf_pid)!.state, sa2, sa3 };
    });
    return { rows, account: { in: zone.length, out: rows.length, drops: {} } };
  },
});
