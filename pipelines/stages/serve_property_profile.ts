import { addressRegionAsset } from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import { CHAIN_FIELDS } from '../../transforms/locate.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

export const servePropertyProfileStage = stage({
  name: 'serve_property_profile',
  version: 1,
  doc: 'Rows of serving.property_profile: the ABS hierarchy and the administrative chain.',
  subject: 'region',
  inputs: {
    region: input(addressRegionAsset, [
      'gnaf_pid',
      'mesh_block',
      ...CHAIN_FIELDS,
      'sal',
      'sal_name',
      'lga',
      'lga_name',
      'poa',
      'edition',
      'method',
      'agrees',
    ]),
    address: input(addressRecord, ['gnaf_pid', 'state', 'postcode']),
  },
  output: propertyProfileTable,
  compute({ region, address }, { cell }) {
    const addresses = byPid(address);
    const rows = region.map(({ sal, sal_name, edition, ...row }) => ({
      ...row,
      cell,
      state: addresses.get(row.gnaf_pid)!.state,
      postcode: addresses.get(row.gnaf_pid)!.postcode,
      sal_code: sal,
      suburb: sal_name,
      asgs_edition: edition,
    }));
    return { rows, account: { in: region.length, out: rows.length, drops: {} } };
  },
});
