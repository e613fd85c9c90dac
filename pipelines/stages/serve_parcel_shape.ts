import { parcelRecord } from '../../schema/records/parcel.ts';
import { parcelShapeTable } from '../../schema/serving/parcel_shape.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const serveParcelShapeStage = stage({
  name: 'serve_parcel_shape',
  version: 1,
  doc: 'Rows of serving.parcel_shape: the shapes of all parcels.',
  subject: 'parcel',
  inputs: { parcel: input(parcelRecord, ['parcel_id', 'state', 'geom']) },
  output: parcelShapeTable,
  compute({ parcel }, { cell, emit }) {
    for (const { parcel_id, state, geom } of parcel) emit({ parcel_id, cell, state, geom });
    return { account: { in: parcel.length, out: parcel.length, drops: {} } };
  },
});
