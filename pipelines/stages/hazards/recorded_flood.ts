import { recordedFloodAsset } from '../../../schema/assets/hazard.ts';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const recordedFloodStage = sqlStage({
  name: 'recorded_flood',
  doc: 'The attributes of each recorded flood.',
  subject: 'piece',
  inputs: {
    piece: input(
      hazardPieceRecord,
      ['feature_id', 'shape', 'name', 'code', 'severity', 'event_date'],
      { kind: 'all' },
      { layer: 'historical_flood', event_date: { not: null }, is_assessed: true },
    ),
  },
  output: recordedFloodAsset,
  sql: `
    SELECT DISTINCT ON (state, event_date) *
    FROM (SELECT split_part(feature_id, ':', 1) AS state, event_date, feature_id, shape, name, code, severity FROM piece) p
    ORDER BY state, event_date, feature_id COLLATE "C"`,
});
