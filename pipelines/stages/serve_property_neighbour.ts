import { addressParcelAsset, parcelNeighbourAsset } from '../../schema/assets.ts';
import { propertyNeighbourTable } from '../../schema/serving/property_neighbour.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

export const servePropertyNeighbourStage = stage({
  name: 'serve_property_neighbour',
  version: 1,
  doc: 'Rows of serving.property_neighbour: the parcels that adjoin the parcel of each property.',
  subject: 'parcel',
  inputs: {
    parcel: input(addressParcelAsset, ['gnaf_pid', 'state', 'sa2', 'sa3', 'parcel_id']),
    neighbour: input(parcelNeighbourAsset, ['parcel_id', 'neighbour_parcel_id', 'shared_m', 'is_corner'], {
      kind: 'refs',
      stage: 'address_parcel',
      within: { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' },
    }),
  },
  output: propertyNeighbourTable,
  compute({ parcel, neighbour }, { cell, emit }) {
    const adjoining = groupBy(neighbour, (pair) => pair.parcel_id);
    const drops: Record<string, number> = {};
    let out = 0;
    for (const { gnaf_pid, state, sa2, sa3, parcel_id } of parcel) {
      const pairs = parcel_id === null ? undefined : adjoining.get(parcel_id);
      if (!pairs) {
        const name = parcel_id === null ? 'no_parcel' : 'no_adjoining_parcel';
        drops[name] = (drops[name] ?? 0) + 1;
        continue;
      }
      out++;
      for (const { neighbour_parcel_id, shared_m, is_corner } of pairs) {
        emit({ gnaf_pid, neighbour_parcel_id, cell, state, sa2, sa3, shared_m, is_corner });
      }
    }
    return { account: { in: parcel.length, out, drops } };
  },
});
