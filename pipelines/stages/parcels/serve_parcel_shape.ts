import { parcelRecord } from '../../../schema/records/parcel.ts';
import { parcelShapeTable } from '../../../schema/serving/parcel_shape.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const COLUMNS = Object.keys(parcelShapeTable.columns) as (keyof typeof parcelShapeTable.columns)[];

export const serveParcelShapeStage = sqlStage({
  name: 'serve_parcel_shape',
  doc: 'Rows of serving.parcel_shape: the shapes of all parcels.',
  subject: 'parcel',
  inputs: { parcel: input(parcelRecord, COLUMNS) },
  output: parcelShapeTable,
  sql: 'SELECT * FROM parcel',
});
