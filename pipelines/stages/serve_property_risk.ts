import {
  addressParcelAsset,
  parcelHazardAsset,
  publicHousingPieceAsset,
} from '../../schema/assets/property.ts';
import { cellBbox, NO_CELL, unionBox } from '../../schema/grid.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../schema/records/hazard.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import type { Row } from '../../schema/table.ts';
import type { Plane } from '../../transforms/geo/plane.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { nearestToBoth } from '../../transforms/hazards/nearest_to_both.ts';
import { boxOfAll, type ParcelSet, prepareParcels } from '../../transforms/hazards/parcel_set.ts';
import { measuredFrom } from '../../transforms/risk_row.ts';
import { input } from '../engine/input.ts';
import { type Stage, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import {
  ASSESSED,
  around,
  HAZARD_COLUMNS,
  HOUSING_COLUMNS,
  hazardLayers,
  planeOfCell,
} from './hazard_layers.ts';
import { ON_PARCEL_ELSEWHERE, parcelsElsewhere, parcelsHere, placedAddresses } from './placed_addresses.ts';
import { type FindingElsewhere, RiskRows } from './risk_rows.ts';

/** An address, as far as it says where it is. */
type Address = Pick<Row<typeof addressParcelAsset>, 'lon' | 'lat' | 'parcel_id'>;

/** Nothing is known of the parcel of an address without coordinates, or there is none. */
const NO_ROWS: readonly FindingElsewhere[] = [];

/** Points of the addresses as flat lon, lat pairs; NaN: it has none. */
function pointsOf(addresses: readonly Address[]): Float64Array {
  const lonlat = new Float64Array(addresses.length * 2).fill(Number.NaN);
  for (let i = 0; i < addresses.length; i++) {
    const { lon, lat } = addresses[i]!;
    if (lon === null) continue;
    lonlat[i * 2] = lon;
    lonlat[i * 2 + 1] = lat!;
  }
  return lonlat;
}

/** Those of the parcels that an address is on, and the number of each by its id. */
function parcelsWithAddress(
  addresses: readonly Address[],
  shapes: readonly { parcel_id: string; geom: Uint8Array }[],
  plane: Plane,
): { parcels: ParcelSet; numberOf: ReadonlyMap<string, number> } {
  const wanted = new Set<string | null>();
  for (const { parcel_id } of addresses) wanted.add(parcel_id);
  const used = shapes.filter(({ parcel_id }) => wanted.has(parcel_id));
  const parcels = prepareParcels(
    used.map(({ geom }) => decodeWkb(geom)),
    plane,
  );
  return { parcels, numberOf: new Map(used.map(({ parcel_id }, i) => [parcel_id, i])) };
}

/** The hazards of each property; the search radius decides how far the stage looks, so it is part of the declaration. */
export const servePropertyRiskStage = (radius_m: number): Stage =>
  stage({
    name: 'serve_property_risk',
    version: 3,
    doc: 'Rows of serving.property_risk: every hazard layer within the search radius, from the parcel and from the point.',
    subject: 'parcel',
    inputs: {
      parcel: placedAddresses,
      shape: parcelsHere,
      shape_elsewhere: parcelsElsewhere,
      on_parcel: input(
        parcelHazardAsset,
        [
          'parcel_id',
          'layer',
          'is_on',
          'distance_m',
          'features',
          'share',
          'feature_id',
          'name',
          'code',
          'severity',
          'event_date',
        ],
        ON_PARCEL_ELSEWHERE,
      ),
      hazard: input(
        hazardPieceRecord,
        HAZARD_COLUMNS,
        { kind: 'reach', halo_m: radius_m, around: addressParcelAsset },
        ASSESSED,
      ),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, {
        kind: 'reach',
        halo_m: radius_m,
        around: addressParcelAsset,
      }),
    },
    output: propertyRiskTable,
    params: ({ hazards }) => ({
      HAZARD_LAYERS,
      measured_from: hazards.measured_from,
      on_min_sqm: hazards.on_min_sqm,
    }),
    compute({ parcel, shape, shape_elsewhere, on_parcel, hazard, housing }, { cell, params, emit }) {
      const plane = planeOfCell(cell);
      // parcels of addresses without coordinates are nowhere near each other: parcel_hazard has measured them
      const shapes = cell === NO_CELL ? [] : [...shape, ...shape_elsewhere];
      const { parcels, numberOf } = parcelsWithAddress(parcel, shapes, plane);
      const lonlat = pointsOf(parcel);
      const region =
        cell === NO_CELL ? undefined : around(unionBox([cellBbox(cell), boxOfAll(parcels)]), radius_m);
      const points = { lonlat, xy: plane.project(lonlat) };
      const { on_min_sqm } = params;
      const layers = hazardLayers(hazard, housing, plane, region).map(({ layer, index, features, rank }) => ({
        layer,
        index,
        features,
        rank,
        ...nearestToBoth(index, parcels, points, { within_m: radius_m, rank, on_min_sqm }),
      }));
      const elsewhere = groupBy(on_parcel, (row) => row.parcel_id);
      const rows = new RiskRows(cell, radius_m, layers, emit);
      let out = 0;
      for (let i = 0; i < parcel.length; i++) {
        const address = parcel[i]!;
        const { lon, parcel_id } = address;
        const from = measuredFrom(params.measured_from, parcel_id !== null, lon !== null);
        if (from === null) continue;
        const own = parcel_id === null ? -1 : (numberOf.get(parcel_id) ?? -1);
        const of = { own, elsewhere: (own < 0 && parcel_id !== null && elsewhere.get(parcel_id)) || NO_ROWS };
        if ((from === 'parcel' ? rows.fromParcel(address, i, of) : rows.fromPoint(address, i, of)) > 0) out++;
      }
      const drops: Record<string, number> = {};
      if (out < parcel.length) drops.no_hazard = parcel.length - out;
      return { account: { in: parcel.length, out, drops } };
    },
  });
