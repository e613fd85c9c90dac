import { addressParcelAsset, parcelNeighbourAsset } from '../../schema/assets.ts';
import { propertyNeighbourTable } from '../../schema/serving/property_neighbour.ts';
import type { Row } from '../../schema/table.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

type Neighbour = Pick<
  Row<typeof parcelNeighbourAsset>,
  'parcel_id' | 'neighbour_parcel_id' | 'shared_m' | 'is_corner'
>;

/** What the rows of a cell are made with, and how many properties have some. */
interface NeighbourRows {
  readonly cell: number;
  readonly emit: (row: Row<typeof propertyNeighbourTable>) => void;
  readonly adjoining: ReadonlyMap<string, readonly Neighbour[]>;
  out: number;
  readonly drops: Record<string, number>;
}

const parcelOf = (pair: Neighbour): string => pair.parcel_id;

function add(
  this: NeighbourRows,
  row: Pick<Row<typeof addressParcelAsset>, 'gnaf_pid' | 'state' | 'sa2' | 'sa3' | 'parcel_id'>,
): void {
  const { gnaf_pid, state, sa2, sa3, parcel_id } = row;
  const pairs = parcel_id === null ? undefined : this.adjoining.get(parcel_id);
  if (!pairs) {
    const name = parcel_id === null ? 'no_parcel' : 'no_adjoining_parcel';
    this.drops[name] = (this.drops[name] ?? 0) + 1;
    return;
  }
  this.out++;
  const { cell } = this;
  for (const { neighbour_parcel_id, shared_m, is_corner } of pairs) {
    this.emit({ gnaf_pid, neighbour_parcel_id, cell, state, sa2, sa3, shared_m, is_corner });
  }
}

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
    const adjoining = groupBy(neighbour, parcelOf);
    const rows: NeighbourRows = { cell, emit, adjoining, out: 0, drops: {} };
    parcel.forEach(add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});
