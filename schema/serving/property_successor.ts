import { col, nullable, table } from '../table.ts';

/** Evidence for a successor: the same address, or the same place with one address there. */
export const SUCCESSOR_EVIDENCE = ['address', 'place'] as const;

/** Successor of each retired address. */
export const propertySuccessorTable = table({
  schema: 'serving',
  name: 'property_successor',
  doc: 'A retired address that the address file still has, and the property that is now at its address or place.',
  columns: {
    retired_pid: col('text', 'G-NAF ADDRESS_DETAIL_PID of the retired address.'),
    successor_pid: nullable('text', 'Property that succeeds it; null: none, or several may be it.'),
    evidence: nullable(
      'text',
      'address: the only property, or principal of an alias, with the same number, flat, level, street and locality; place: the only property on the same lot, else the only one within 5 m; null with the successor.',
    ),
  },
  primaryKey: ['retired_pid'],
  checks: {
    property_successor_evidence: `evidence IN (${SUCCESSOR_EVIDENCE.map((each) => `'${each}'`).join(', ')}) AND (evidence IS NULL) = (successor_pid IS NULL)`,
  },
});
