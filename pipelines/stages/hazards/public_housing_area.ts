import { publicHousingPieceAsset } from '../../../schema/assets/property.ts';
import { censusRegionRecord } from '../../../schema/records/census.ts';
import { regionPieceRecord } from '../../../schema/records/region.ts';
import { bboxOf } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { publicHousingShare } from '../../../transforms/regions/demographics.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

export const publicHousingAreaStage = stage({
  name: 'public_housing_area',
  version: 1,
  doc: 'The SA1s whose share of public housing reaches the threshold, in pieces by grid cell.',
  subject: 'piece',
  inputs: {
    piece: input(
      regionPieceRecord,
      ['cell', 'edition', 'year', 'level', 'code', 'geom'],
      { kind: 'own' },
      { level: 'SA1' },
    ),
    census: input(
      censusRegionRecord,
      [
        'edition',
        'year',
        'code',
        'rented_from_state',
        'rented_from_community',
        'tenure_total',
        'tenure_not_stated',
      ],
      { kind: 'named', column: 'code', of: (piece: { code: string }) => piece.code },
      { level: 'SA1' },
    ),
  },
  output: publicHousingPieceAsset,
  params: (config) => ({ share_min: config.hazards.public_housing_share_min }),
  compute({ piece, census }, { cell, params, emit }) {
    // Rows are sorted by year, so the newest Census of an SA1 is the last.
    const shares = new Map(census.map((row) => [`${row.edition}|${row.code}`, publicHousingShare(row)]));
    let out = 0;
    const drops: Record<string, number> = {};
    const drop = (name: string): void => {
      drops[name] = (drops[name] ?? 0) + 1;
    };
    for (const { edition, code, geom } of piece) {
      const share = shares.get(`${edition}|${code}`);
      if (share === undefined) drop('no_census');
      else if (share === null) drop('too_few_dwellings');
      else if (share < params.share_min) drop('below_threshold');
      else {
        const [min_lon, min_lat, max_lon, max_lat] = bboxOf(decodeWkb(geom).coords);
        out++;
        emit({ cell, sa1: code, share, min_lon, min_lat, max_lon, max_lat, geom });
      }
    }
    return { account: { in: piece.length, out, drops } };
  },
});
