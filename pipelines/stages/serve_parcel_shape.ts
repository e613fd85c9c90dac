import { parcelRecord } from '../../schema/records/parcel.ts';
import { parcelShapeTable } from '../../schema/serving/parcel_shape.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const serveParcelShapeStage = stage({
  name: 'serve_parcel_shape',
  version: 2,
  doc: 'Rows of serving.parcel_shape: the shapes of all parcels.',
  subject: 'parcel',
  byKey: { dropped: null },
  inputs: {
    parcel: input(parcelRecord, ['parcel_id', 'state', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom']),
  },
  output: parcelShapeTable,
  compute({ parcel }, { cell, emit }) {
    for (const { parcel_id, state, min_lon, min_lat, max_lon, max_lat, geom } of parcel)
      emit({ parcel_id, cell, state, min_lon, min_lat, max_lon, max_lat, geom });
    return { account: { in: parcel.length, out: parcel.length, drops: {} } };
  },
});
