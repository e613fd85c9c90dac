import { recordedFloodAsset } from '../../../schema/assets/hazard.ts';
import { addressHomeAsset, publicHousingPieceAsset } from '../../../schema/assets/property.ts';
import { type Bbox, cellBbox, NO_CELL, unionBox } from '../../../schema/grid.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import { measuredFrom } from '../../../transforms/hazards/risk_row.ts';
import { nearestToBoth } from '../../../transforms/layers/nearest_to_both.ts';
import { boxOfAll } from '../../../transforms/layers/parcel_set.ts';
import { input } from '../../engine/input.ts';
import { type Stage, stage } from '../../engine/stage.ts';
import { homeAddresses, lonOnProperty, parcelsHere } from '../addresses/home_addresses.ts';
import { parcelsWithAddress, pointsOf } from '../addresses/home_places.ts';
import {
  ASSESSED,
  FLOOD_COLUMNS,
  HAZARD_COLUMNS,
  HOUSING_COLUMNS,
  hazardClasses,
  planeOfCell,
  withinRadius,
} from './hazard_layers.ts';
import { RiskRows } from './risk_rows.ts';

/** Returns the bounding box of points given as flat lon, lat pairs; NaN is ignored. */
function boxOfPoints(lonlat: Float64Array): Bbox {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < lonlat.length; i += 2) {
    if (lonlat[i]! < box[0]) box[0] = lonlat[i]!;
    if (lonlat[i + 1]! < box[1]) box[1] = lonlat[i + 1]!;
    if (lonlat[i]! > box[2]) box[2] = lonlat[i]!;
    if (lonlat[i + 1]! > box[3]) box[3] = lonlat[i + 1]!;
  }
  return box;
}

/** Declares the stage of each property's hazards. The search radius decides which rows are read, so it is part of the declaration. */
export const servePropertyRiskStage = (radius_m: number): Stage =>
  stage({
    name: 'serve_property_risk',
    version: 7,
    doc: 'Rows of serving.property_risk: every class of a hazard layer within the search radius, from the parcel and from the point.',
    subject: 'parcel',
    inputs: {
      parcel: homeAddresses,
      shape: parcelsHere,
      hazard: input(
        hazardPieceRecord,
        HAZARD_COLUMNS,
        { kind: 'near', halo_m: radius_m, around: addressHomeAsset },
        ASSESSED,
      ),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, {
        kind: 'near',
        halo_m: radius_m,
        around: addressHomeAsset,
      }),
      flood: input(recordedFloodAsset, FLOOD_COLUMNS, { kind: 'all' }),
    },
    output: propertyRiskTable,
    params: ({ hazards }) => ({
      HAZARD_LAYERS,
      measured_from: hazards.measured_from,
      on_min_sqm: hazards.on_min_sqm,
    }),
    compute({ parcel, shape, hazard, housing, flood }, { cell, params, emit }) {
      const plane = planeOfCell(cell);
      const { parcels, numberOf } = parcelsWithAddress(parcel, shape, plane);
      const lonlat = pointsOf(parcel);
      const region =
        cell === NO_CELL
          ? undefined
          : withinRadius(unionBox([cellBbox(cell), boxOfAll(parcels), boxOfPoints(lonlat)]), radius_m);
      const points = { lonlat, xy: plane.project(lonlat) };
      const { on_min_sqm } = params;
      const classes = hazardClasses(hazard, housing, flood, plane, region).map((each) => ({
        ...each,
        ...nearestToBoth(each.index, parcels, points, { within_m: radius_m, rank: each.rank, on_min_sqm }),
      }));
      const rows = new RiskRows(cell, radius_m, classes, emit);
      let out = 0;
      for (let i = 0; i < parcel.length; i++) {
        const address = parcel[i]!;
        const { parcel_id } = address;
        const from = measuredFrom(params.measured_from, parcel_id !== null, lonOnProperty(address) !== null);
        if (from === null) continue;
        const parcelNumber = parcel_id === null ? -1 : numberOf.get(parcel_id)!;
        if (
          (from === 'parcel'
            ? rows.fromParcel(address, i, parcelNumber)
            : rows.fromPoint(address, i, parcelNumber)) > 0
        )
          out++;
      }
      const drops: Record<string, number> = {};
      if (out < parcel.length) drops.no_hazard = parcel.length - out;
      return { account: { in: parcel.length, out, drops } };
    },
  });
