import { regionPieceRecord } from '../../../schema/records/region.ts';
import { stopRecord } from '../../../schema/records/stop.ts';
import { stopTable } from '../../../schema/serving/stop.ts';
import { AT_STATIONS, repeatedStops, STANDS_WITHIN_M } from '../../../transforms/places/one_stop.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { PLACE_REGION_COLUMNS, PLACE_REGION_WHERE, placeRegions } from './place_region.ts';

export const serveStopStage = stage({
  name: 'serve_stop',
  version: 3,
  doc: 'Rows of serving.stop: every stop with its region; stops in several sources are merged, stations with one row for each point.',
  subject: 'stop',
  inputs: {
    stop: input(stopRecord, ['cell', 'source', 'stop_id', 'mode', 'label', 'lon', 'lat']),
    around: input(stopRecord, ['source', 'stop_id', 'mode', 'label', 'lon', 'lat'], {
      kind: 'near',
      halo_m: STANDS_WITHIN_M,
    }),
    region: input(regionPieceRecord, PLACE_REGION_COLUMNS, { kind: 'own' }, PLACE_REGION_WHERE),
  },
  output: stopTable,
  compute({ stop, around, region }, { emit }) {
    const regionAt = placeRegions(region);
    const repeated = repeatedStops(stop, around);
    let out = 0;
    for (const row of stop) {
      const first = repeated.get(row);
      // A station keeps all its points, but of a moved stop only one is right.
      if (first !== undefined && !AT_STATIONS.has(row.mode)) continue;
      const { stop_id, label } = first ?? row;
      emit({ ...row, one_stop_id: stop_id, label, ...regionAt(row.lon, row.lat) });
      out++;
    }
    const drops: Record<string, number> = out < stop.length ? { same_stop: stop.length - out } : {};
    return { account: { in: stop.length, out, drops } };
  },
});
