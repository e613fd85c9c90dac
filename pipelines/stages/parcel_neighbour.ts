import { parcelNeighbourAsset } from '../../schema/assets.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { Row } from '../../schema/table.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { type Adjacency, adjoiningParcels, type ParcelShape } from '../../transforms/neighbours.ts';
import { input, stage } from '../engine/stage.ts';

/** The largest tolerance the configuration allows, metres. */
const HALO_M = 1;

const shapeOf = (row: { parcel_id: string; geom: Uint8Array }): ParcelShape => ({
  id: row.parcel_id,
  geometry: decodeWkb(row.geom),
});

/** What the rows of a cell are made with. */
interface NeighbourRows {
  readonly cell: number;
  readonly emit: (row: Row<typeof parcelNeighbourAsset>) => void;
  readonly shapes: readonly ParcelShape[];
}

function add(this: NeighbourRows, pair: Adjacency): void {
  this.emit({
    cell: this.cell,
    parcel_id: this.shapes[pair.a]!.id,
    neighbour_parcel_id: this.shapes[pair.b]!.id,
    shared_m: pair.shared_m,
    is_corner: pair.corner,
  });
}

export const parcelNeighbourStage = stage({
  name: 'parcel_neighbour',
  version: 1,
  doc: 'Adjoining parcels with the length of the shared boundary; corner touches are marked.',
  subject: 'parcel',
  inputs: {
    parcel: input(parcelRecord, ['cell', 'parcel_id', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'], {
      kind: 'reach',
      halo_m: HALO_M,
    }),
  },
  output: parcelNeighbourAsset,
  params: (config) => config.neighbours,
  compute({ parcel }, { cell, params, emit }) {
    const shapes = parcel.map(shapeOf);
    const subjects: number[] = [];
    for (let i = 0; i < parcel.length; i++) if (parcel[i]!.cell === cell) subjects.push(i);
    adjoiningParcels(shapes, subjects, params).forEach(add, { cell, emit, shapes });
    return { account: { in: subjects.length, out: subjects.length, drops: {} } };
  },
});
