import { placePieceRecord } from '../../../schema/records/place.ts';
import { regionPieceRecord } from '../../../schema/records/region.ts';
import { placeTable } from '../../../schema/serving/place.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { PLACE_REGION_COLUMNS, PLACE_REGION_WHERE, placeRegions } from './place_region.ts';

export const servePlaceStage = stage({
  name: 'serve_place',
  version: 1,
  doc: 'Rows of serving.place: every place with the region that contains its point, if that is in the same grid cell.',
  subject: 'place',
  inputs: {
    place: input(placePieceRecord, [
      'cell',
      'place_id',
      'category',
      'name',
      'lon',
      'lat',
      'min_lon',
      'min_lat',
      'max_lon',
      'max_lat',
      'geom',
    ]),
    region: input(regionPieceRecord, PLACE_REGION_COLUMNS, { kind: 'own' }, PLACE_REGION_WHERE),
  },
  output: placeTable,
  compute({ place, region }, { emit }) {
    const regionAt = placeRegions(region);
    for (const row of place) emit({ ...row, ...regionAt(row.lon, row.lat) });
    return { account: { in: place.length, out: place.length, drops: {} } };
  },
});
