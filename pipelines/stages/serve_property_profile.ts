import { addressHomeAsset } from '../../schema/assets/property.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import type { Row } from '../../schema/table.ts';
import { CHAIN_FIELDS } from '../../transforms/locate.ts';
import { input } from '../engine/input.ts';
import { type PartitionContext, stage } from '../engine/stage.ts';

const REGION_COLUMNS = [
  'gnaf_pid',
  'state',
  'postcode',
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
] as const;

function add(
  this: Pick<PartitionContext<unknown, unknown, typeof propertyProfileTable>, 'cell' | 'emit'>,
  row: Pick<Row<typeof addressHomeAsset>, (typeof REGION_COLUMNS)[number]>,
): void {
  this.emit({
    gnaf_pid: row.gnaf_pid,
    cell: this.cell,
    state: row.state,
    postcode: row.postcode,
    mesh_block: row.mesh_block,
    sa1: row.sa1,
    sa2: row.sa2,
    sa2_name: row.sa2_name,
    sa3: row.sa3,
    sa3_name: row.sa3_name,
    sa4: row.sa4,
    sa4_name: row.sa4_name,
    gccsa: row.gccsa,
    gccsa_name: row.gccsa_name,
    sal_code: row.sal,
    suburb: row.sal_name,
    lga: row.lga,
    lga_name: row.lga_name,
    poa: row.poa,
    asgs_edition: row.edition,
    method: row.method,
    agrees: row.agrees,
  });
}

export const servePropertyProfileStage = stage({
  name: 'serve_property_profile',
  version: 1,
  doc: 'Rows of serving.property_profile: the ABS hierarchy and the administrative chain.',
  subject: 'region',
  byKey: { dropped: null },
  inputs: {
    region: input(addressHomeAsset, REGION_COLUMNS),
  },
  output: propertyProfileTable,
  compute({ region }, { cell, emit }) {
    region.forEach(add, { cell, emit });
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});
