import { addressHomeAsset } from '../../schema/assets/property.ts';
import { suburbTable } from '../../schema/serving/suburb.ts';
import { col, nullable } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { box, boxOf, first, most, properties } from './measures.ts';
import { rollup } from './rollup.ts';

export const {
  asset: suburbPartAsset,
  part: suburbPartStage,
  whole: serveSuburbStage,
} = rollup({
  parts: {
    name: 'suburb_part',
    doc: 'Properties per suburb, SA2 and grid cell: the partial sums of the suburb table.',
    by: {
      sal: col('text', 'SAL code.'),
      sa2: nullable('text', 'SA2 code; null: not located.'),
      state: col('text', 'State abbreviation.'),
    },
    measures: [
      first({
        sal_name: col('text', 'SAL name.'),
        sa3: nullable('text', 'SA3 code; null: not located.'),
      }),
      properties,
      box,
    ],
  },
  part: {
    version: 1,
    doc: 'Properties per suburb and SA2 of one cell.',
    subject: 'region',
    inputs: {
      region: input(addressHomeAsset, ['gnaf_pid', 'state', 'lon', 'lat', 'sa2', 'sa3', 'sal', 'sal_name']),
    },
    dropped: 'no_suburb',
    gather({ region }, add) {
      let dropped = 0;
      for (const row of region) {
        const { sal, sal_name, sa2, sa3, state } = row;
        if (sal === null || sal_name === null) dropped++;
        else add({ sal, sal_name, sa2, sa3, state, properties: 1, ...boxOf(row) });
      }
      return dropped;
    },
  },
  whole: {
    name: 'serve_suburb',
    version: 1,
    output: suburbTable,
    by: ['sal_name'],
    rows({ sal_name, ...total }, parts) {
      const sa2 = most(parts, 'sa2');
      const sa3 = parts.find((row) => row.sa2 === sa2)?.sa3 ?? null;
      return [
        { ...total, sal: sal_name, state: most(parts, 'state'), sa2, sa3, sal_code: most(parts, 'sal') },
      ];
    },
  },
});
