import { regionPieceRecord } from '../../schema/records/region.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import { stopTable } from '../../schema/serving/stop.ts';
import { repeatedStops, STATION_M } from '../../transforms/one_stop.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { PLACE_REGION_COLUMNS, PLACE_REGION_WHERE, placeRegions } from './place_region.ts';

export const serveStopStage = stage({
  name: 'serve_stop',
  version: 2,
  doc: 'Rows of serving.stop: every stop with the region it lies in; what several sources have is there once.',
  subject: 'stop',
  inputs: {
    stop: input(stopRecord, ['cell', 'source', 'stop_id', 'mode', 'label', 'lon', 'lat']),
    around: input(stopRecord, ['source', 'stop_id', 'mode', 'label', 'lon', 'lat'], {
      kind: 'near',
      halo_m: STATION_M,
    }),
    region: input(regionPieceRecord, PLACE_REGION_COLUMNS, { kind: 'own' }, PLACE_REGION_WHERE),
  },
  output: stopTable,
  compute({ stop, around, region }, { emit }) {
    const regionAt = placeRegions(region);
    const repeated = repeatedStops(stop, around);
    for (const row of stop) if (!repeated.has(row)) emit({ ...row, ...regionAt(row.lon, row.lat) });
    const drops: Record<string, number> = repeated.size > 0 ? { same_stop: repeated.size } : {};
    return { account: { in: stop.length, out: stop.length - repeated.size, drops } };
  },
});
