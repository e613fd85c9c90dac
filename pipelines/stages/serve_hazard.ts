import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { hazardTable } from '../../schema/serving/hazard.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const serveHazardStage = stage({
  name: 'serve_hazard',
  version: 1,
  doc: 'Rows of serving.hazard: the pieces of hazards, for their shapes.',
  subject: 'piece',
  inputs: {
    piece: input(hazardPieceRecord, [
      'cell',
      'layer',
      'feature_id',
      'shape',
      'name',
      'code',
      'severity',
      'is_assessed',
      'event_date',
      'min_lon',
      'min_lat',
      'max_lon',
      'max_lat',
      'geom',
    ]),
  },
  output: hazardTable,
  compute({ piece }, { emit }) {
    for (const row of piece) emit(row);
    return { account: { in: piece.length, out: piece.length, drops: {} } };
  },
});
