import { parcelHazardAsset, publicHousingPieceAsset } from '../../schema/assets.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { nearestToParcels } from '../../transforms/hazards/nearest_to_parcels.ts';
import { prepareParcels } from '../../transforms/hazards/parcel_set.ts';
import { input, type Stage, stage } from '../engine/stage.ts';
import {
  ASSESSED,
  HAZARD_COLUMNS,
  HOUSING_COLUMNS,
  hazardLayers,
  planeOfCell,
  told,
} from './hazard_layers.ts';

/** The hazards around each parcel; the search radius decides how far the stage looks, so it is part of the declaration. */
export const parcelHazardStage = (radius_m: number): Stage =>
  stage({
    name: 'parcel_hazard',
    version: 2,
    doc: 'Every hazard layer within the search radius of each parcel: distance, share, features, and what is on it.',
    subject: 'parcel',
    inputs: {
      parcel: input(parcelRecord, ['cell', 'parcel_id', 'geom']),
      hazard: input(hazardPieceRecord, HAZARD_COLUMNS, { kind: 'reach', halo_m: radius_m }, ASSESSED),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, { kind: 'reach', halo_m: radius_m }),
    },
    output: parcelHazardAsset,
    params: ({ hazards }) => ({ on_min_sqm: hazards.on_min_sqm }),
    compute({ parcel, hazard, housing }, { cell, params, emit }) {
      const plane = planeOfCell(cell);
      const layers = hazardLayers(hazard, housing, plane);
      if (layers.length > 0) {
        const parcels = prepareParcels(
          parcel.map((row) => decodeWkb(row.geom)),
          plane,
        );
        for (const { layer, index, features, rank } of layers) {
          const found = nearestToParcels(index, parcels, { within_m: radius_m, rank, ...params });
          parcel.forEach(({ parcel_id }, i) => {
            const nearest = found.nearest[i]!;
            if (nearest < 0) return;
            const is_on = found.on[i] === 1;
            emit({
              cell,
              parcel_id,
              layer,
              is_on,
              distance_m: found.distance_m[i]!,
              features: found.features[i]!,
              share: found.share[i]!,
              ...told(features[is_on ? found.top[i]! : nearest]!),
            });
          });
        }
      }
      return { account: { in: parcel.length, out: parcel.length, drops: {} } };
    },
  });
