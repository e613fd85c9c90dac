import { addressAliasRecord, addressRecord } from '../../schema/records/address.ts';
import { propertyAliasTable } from '../../schema/serving/property_alias.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const servePropertyAliasStage = stage({
  name: 'serve_property_alias',
  version: 1,
  doc: 'Rows of serving.property_alias: of several principals the one with the lowest id.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, ['gnaf_pid'], { kind: 'own' }, { is_live: true, alias_principal: 'A' }),
    alias: input(addressAliasRecord, ['alias_pid', 'principal_pid'], {
      kind: 'keys',
      column: 'alias_pid',
      of: (address: { gnaf_pid: string }) => address.gnaf_pid,
    }),
  },
  output: propertyAliasTable,
  compute({ address, alias }, { cell, emit }) {
    // Sorted by principal: the first stays.
    const principals = new Map<string, string>();
    for (const { alias_pid, principal_pid } of alias)
      if (!principals.has(alias_pid)) principals.set(alias_pid, principal_pid);
    let out = 0;
    const drops: Record<string, number> = {};
    for (const { gnaf_pid } of address) {
      const principal_pid = principals.get(gnaf_pid);
      if (principal_pid === undefined) {
        drops.no_principal = (drops.no_principal ?? 0) + 1;
        continue;
      }
      out++;
      emit({ alias_pid: gnaf_pid, cell, principal_pid });
    }
    return { account: { in: address.length, out, drops } };
  },
});
