import { addressAliasRecord, addressRecord } from '../../../schema/records/address.ts';
import { propertyAliasTable } from '../../../schema/serving/property_alias.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const servePropertyAliasStage = sqlStage({
  name: 'serve_property_alias',
  doc: 'Rows of serving.property_alias; among several principals, the one with the lowest id.',
  subject: 'address',
  without: 'no_principal',
  inputs: {
    address: input(
      addressRecord,
      ['cell', 'gnaf_pid'],
      { kind: 'own' },
      { is_live: true, alias_principal: 'A' },
    ),
    alias: input(addressAliasRecord, ['alias_pid', 'principal_pid'], { kind: 'all' }),
  },
  output: propertyAliasTable,
  sql: `
    SELECT alias_pid, cell, min(principal_pid COLLATE "C") AS principal_pid
    FROM address JOIN alias ON alias_pid = gnaf_pid GROUP BY alias_pid, cell`,
});
