import { hazardPieceRecord } from '../records/hazard.ts';
import { col, table } from '../table.ts';

const { feature_id, shape, name, code, severity } = hazardPieceRecord.columns;

/** Output of the stage recorded_flood. */
export const recordedFloodAsset = table({
  schema: 'asset',
  name: 'recorded_flood',
  doc: 'Each recorded flood of a state and day, told by the feature with the lowest id: publishers draw one in several layers, or in many polygons.',
  columns: {
    state: col('text', 'State abbreviation, or AU.'),
    event_date: col('date', 'Date of the flood.'),
    feature_id,
    shape,
    name,
    code,
    severity,
  },
  primaryKey: ['state', 'event_date'],
});
