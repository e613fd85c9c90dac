import {
  addressParcelAsset,
  parcelHazardAsset,
  publicHousingPieceAsset,
} from '../../schema/assets/property.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../schema/records/hazard.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { boxOfAll, prepareParcels } from '../../transforms/hazards/parcel_set.ts';
import { input } from '../engine/input.ts';
import { type Stage, stage } from '../engine/stage.ts';
import {
  ASSESSED,
  around,
  HAZARD_COLUMNS,
  HOUSING_COLUMNS,
  hazardLayers,
  planeOfCell,
} from './hazard_layers.ts';
import { findingOnParcel, searchParcels } from './parcel_findings.ts';
import { ofNowhere } from './placed_addresses.ts';

/** The hazards around each of these parcels; the search radius decides how far the stage looks, so it is part of the declaration. */
export const parcelHazardStage = (radius_m: number): Stage =>
  stage({
    name: 'parcel_hazard',
    version: 4,
    doc: 'Every hazard layer within the search radius of each parcel that an address without coordinates is on: such parcels lie all over the country, and what is around them is no partition’s.',
    subject: 'parcel',
    inputs: {
      parcel: input(parcelRecord, ['cell', 'parcel_id', 'geom']),
      elsewhere: input(addressParcelAsset, ['cell', 'parcel_id'], { kind: 'home' }),
      hazard: input(hazardPieceRecord, HAZARD_COLUMNS, { kind: 'reach', halo_m: radius_m }, ASSESSED),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, { kind: 'reach', halo_m: radius_m }),
    },
    output: parcelHazardAsset,
    params: ({ hazards }) => ({ HAZARD_LAYERS, on_min_sqm: hazards.on_min_sqm }),
    compute({ parcel: here, elsewhere, hazard, housing }, { cell, params, emit }) {
      const parcel = ofNowhere(here, elsewhere);
      if (parcel.length > 0) {
        const plane = planeOfCell(cell);
        const parcels = prepareParcels(
          parcel.map((row) => decodeWkb(row.geom)),
          plane,
        );
        const layers = hazardLayers(hazard, housing, plane, around(boxOfAll(parcels), radius_m));
        for (const layer of layers) {
          const found = searchParcels(layer, parcels, radius_m, params);
          for (let i = 0; i < parcel.length; i++) {
            const finding = findingOnParcel(layer, found, i);
            if (finding !== null)
              emit({ cell, parcel_id: parcel[i]!.parcel_id, layer: layer.layer, ...finding });
          }
        }
      }
      return { account: { in: parcel.length, out: parcel.length, drops: {} } };
    },
  });
