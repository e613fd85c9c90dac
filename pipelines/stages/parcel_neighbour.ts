import { parcelNeighbourAsset } from '../../schema/assets.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../transforms/neighbours.ts';
import { input, stage } from '../engine/stage.ts';

/** The largest tolerance the configuration allows, metres. */
const HALO_M = 1;

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
    const shapes = parcel.map((row) => ({ id: row.parcel_id, geometry: decodeWkb(row.geom) }));
    const subjects: number[] = [];
    parcel.forEach((row, i) => {
      if (row.cell === cell) subjects.push(i);
    });
    for (const pair of adjoiningParcels(shapes, subjects, params)) {
      emit({
        cell,
        parcel_id: shapes[pair.a]!.id,
        neighbour_parcel_id: shapes[pair.b]!.id,
        shared_m: pair.shared_m,
        is_corner: pair.corner,
      });
    }
    return { account: { in: subjects.length, out: subjects.length, drops: {} } };
  },
});
