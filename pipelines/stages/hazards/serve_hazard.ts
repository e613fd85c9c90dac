import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { hazardTable } from '../../../schema/serving/hazard.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const COLUMNS = Object.keys(hazardTable.columns) as (keyof typeof hazardTable.columns)[];

export const serveHazardStage = sqlStage({
  name: 'serve_hazard',
  doc: 'Rows of serving.hazard: the pieces of hazards with their shapes.',
  subject: 'piece',
  inputs: { piece: input(hazardPieceRecord, COLUMNS) },
  output: hazardTable,
  sql: 'SELECT * FROM piece',
});
