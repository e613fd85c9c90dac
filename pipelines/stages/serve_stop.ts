import { regionPieceRecord } from '../../schema/records/region.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import { stopTable } from '../../schema/serving/stop.ts';
import { input, stage } from '../engine/stage.ts';
import { PLACE_REGION_COLUMNS, PLACE_REGION_WHERE, placeRegions } from './place_region.ts';

export const serveStopStage = stage({
  name: 'serve_stop',
  version: 1,
  doc: 'Rows of serving.stop: every stop with the region it lies in.',
  subject: 'stop',
  inputs: {
    stop: input(stopRecord, ['cell', 'stop_id', 'mode', 'label', 'lon', 'lat']),
    region: input(regionPieceRecord, PLACE_REGION_COLUMNS, { kind: 'own' }, PLACE_REGION_WHERE),
  },
  output: stopTable,
  compute({ stop, region }) {
    const regionAt = placeRegions(region);
    const rows = stop.map((row) => ({ ...row, ...regionAt(row.lon, row.lat) }));
    return { rows, account: { in: stop.length, out: rows.length, drops: {} } };
  },
});
