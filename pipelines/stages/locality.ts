import { localityTable } from '../../schema/serving/locality.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { col } from '../../schema/table.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import { input } from '../engine/input.ts';
import { box, boxOf, properties, union } from './measures.ts';
import { rollup } from './rollup.ts';

export const {
  asset: localityPartAsset,
  part: localityPartStage,
  whole: serveLocalityStage,
} = rollup({
  parts: {
    name: 'locality_part',
    doc: 'Properties of one grid cell in each locality: the partial sums of serving.locality.',
    by: {
      state: col('text', 'State abbreviation.'),
      name: col('text', 'G-NAF locality.'),
    },
    measures: [union({ postcodes: col('text[]', 'Postcodes of its addresses, sorted.') }), properties, box],
  },
  part: {
    version: 1,
    doc: 'Properties and postcodes per locality of one cell.',
    subject: 'property',
    inputs: { property: input(propertyTable, ['gnaf_pid', 'state', 'locality', 'postcode', 'lon', 'lat']) },
    gather({ property }, add) {
      for (const row of property) {
        const postcodes = row.postcode === null ? [] : [row.postcode];
        add({ state: row.state, name: row.locality, postcodes, properties: 1, ...boxOf(row) });
      }
    },
  },
  whole: {
    name: 'serve_locality',
    version: 1,
    output: localityTable,
    rows: (total) => [{ ...total, name_key: searchKey(total.name) }],
  },
});
