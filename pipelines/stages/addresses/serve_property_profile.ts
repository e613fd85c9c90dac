import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { propertyProfileTable } from '../../../schema/serving/property_profile.ts';
import { CHAIN_FIELDS } from '../../../transforms/regions/locate.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

/** Columns with the same name in both tables. */
const SAME = [
  'gnaf_pid',
  'state',
  'postcode',
  'mesh_block',
  ...CHAIN_FIELDS,
  'lga',
  'lga_name',
  'poa',
  'method',
  'agrees',
] as const;

export const servePropertyProfileStage = sqlStage({
  name: 'serve_property_profile',
  doc: 'Rows of serving.property_profile: the ABS hierarchy and the administrative chain.',
  subject: 'region',
  inputs: { region: input(addressHomeAsset, ['home', ...SAME, 'sal', 'sal_name', 'edition']) },
  output: propertyProfileTable,
  sql: `SELECT home AS cell, ${SAME.join(', ')}, sal AS sal_code, sal_name AS suburb, edition AS asgs_edition FROM region`,
});
