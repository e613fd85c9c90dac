import { addressParcelAsset, parcelHazardAsset, publicHousingPieceAsset } from '../../schema/assets.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../schema/records/hazard.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import type { Row } from '../../schema/table.ts';
import type { Plane } from '../../transforms/geo/plane.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import type { NearestToParcels } from '../../transforms/hazards/nearest_to_parcels.ts';
import { type NearestToPoints, nearestToPoints } from '../../transforms/hazards/nearest_to_points.ts';
import { type ParcelSet, prepareParcels } from '../../transforms/hazards/parcel_set.ts';
import { fedColumns, type HazardFinding, measuredFrom } from '../../transforms/risk_row.ts';
import { input, type Stage, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import {
  ASSESSED,
  HAZARD_COLUMNS,
  type HazardLayerIndex,
  HOUSING_COLUMNS,
  hazardLayers,
  planeOfCell,
} from './hazard_layers.ts';
import { findingOnParcel, type ParcelFinding, searchParcels } from './parcel_findings.ts';

/** A hazard layer and what is found of it on the parcels of the cell and at the points of the addresses. */
interface SearchedLayer extends HazardLayerIndex {
  readonly onParcels: NearestToParcels;
  readonly atPoints: NearestToPoints;
}

/** What is found at a point, by its number; something is. */
function findingAt({ atPoints, features }: SearchedLayer, i: number): HazardFinding {
  const is_on = atPoints.on[i] === 1;
  const { feature_id, name, code, severity, event_date } =
    features[is_on ? atPoints.top[i]! : atPoints.nearest[i]!]!;
  return {
    is_on,
    distance_m: atPoints.distance_m[i]!,
    features: atPoints.features[i]!,
    feature_id,
    name,
    code,
    severity,
    event_date,
  };
}

/** An address as the inputs have it. */
interface Address {
  gnaf_pid: string;
  state: string;
  sa2: string | null;
  sa3: string | null;
  lon: number | null;
  lat: number | null;
  parcel_id: string | null;
}

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

/** The parcels of the cell that an address is on, and the number of each by its id. */
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

/** Emits the row of a layer, where the one it is measured from has something of it; true where it has. `there` is what the parcel has. */
function emitLayer(
  emit: (row: Row<typeof propertyRiskTable>) => void,
  cell: number,
  search_radius_m: number,
  { gnaf_pid, parcel_id, state, sa2, sa3, lon }: Address,
  i: number,
  from: 'parcel' | 'point',
  layer: string,
  there: ParcelFinding | null,
  at: SearchedLayer | null,
): boolean {
  const here = at !== null && at.atPoints.nearest[i]! >= 0 ? at : null;
  const finding = from === 'parcel' ? there : here && findingAt(here, i);
  if (finding === null) return false;
  const fed = fedColumns(from, finding);
  const onParcel = parcel_id !== null;
  const hasPoint = lon !== null;
  const margin_m = here ? here.atPoints.margin_m[i]! : Infinity;
  emit({
    gnaf_pid,
    layer,
    cell,
    state,
    sa2,
    sa3,
    measured_from: from,
    on_property: fed.on_property,
    nearest_distance_m: fed.nearest_distance_m,
    features_within_radius: fed.features_within_radius,
    name: fed.name,
    value: fed.value,
    feature_id: fed.feature_id,
    code: fed.code,
    severity: fed.severity,
    event_date: fed.event_date,
    search_radius_m,
    parcel_on: onParcel ? (there?.is_on ?? false) : null,
    parcel_distance_m: there?.distance_m ?? null,
    parcel_features: onParcel ? (there?.features ?? 0) : null,
    parcel_share: onParcel ? (there?.share ?? 0) : null,
    point_on: hasPoint ? here?.atPoints.on[i] === 1 : null,
    point_distance_m: here ? here.atPoints.distance_m[i]! : null,
    point_features: hasPoint ? (here ? here.atPoints.features[i]! : 0) : null,
    point_margin_m: margin_m === Infinity ? null : margin_m,
  });
  return true;
}

/** The hazards of each property; the search radius decides how far the stage looks, so it is part of the declaration. */
export const servePropertyRiskStage = (radius_m: number): Stage =>
  stage({
    name: 'serve_property_risk',
    version: 2,
    doc: 'Rows of serving.property_risk: every hazard layer within the search radius, from the parcel and from the point.',
    subject: 'parcel',
    inputs: {
      parcel: input(addressParcelAsset, ['gnaf_pid', 'state', 'sa2', 'sa3', 'lon', 'lat', 'parcel_id']),
      shape: input(parcelRecord, ['parcel_id', 'geom']),
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
        {
          kind: 'refs',
          stage: 'address_parcel',
          within: { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' },
          elsewhere: true,
        },
      ),
      hazard: input(
        hazardPieceRecord,
        HAZARD_COLUMNS,
        { kind: 'reach', halo_m: radius_m, around: parcelRecord },
        ASSESSED,
      ),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, {
        kind: 'reach',
        halo_m: radius_m,
        around: parcelRecord,
      }),
    },
    output: propertyRiskTable,
    params: ({ hazards }) => ({ measured_from: hazards.measured_from, on_min_sqm: hazards.on_min_sqm }),
    compute({ parcel, shape, on_parcel, hazard, housing }, { cell, params, emit }) {
      const plane = planeOfCell(cell);
      const { parcels, numberOf } = parcelsWithAddress(parcel, shape, plane);
      const lonlat = pointsOf(parcel);
      const layers = new Map<string, SearchedLayer>();
      for (const each of hazardLayers(hazard, housing, plane)) {
        const atPoints = nearestToPoints(each.index, lonlat, { within_m: radius_m, rank: each.rank });
        layers.set(each.layer, {
          ...each,
          atPoints,
          onParcels: searchParcels(each, parcels, radius_m, params),
        });
      }
      const elsewhere = groupBy(on_parcel, (row) => row.parcel_id);
      const drops: Record<string, number> = {};
      let out = 0;
      for (let i = 0; i < parcel.length; i++) {
        const address = parcel[i]!;
        const { parcel_id, lon } = address;
        const from = measuredFrom(params.measured_from, parcel_id !== null, lon !== null);
        const own = parcel_id === null ? undefined : numberOf.get(parcel_id);
        const away = parcel_id === null || own !== undefined ? undefined : elsewhere.get(parcel_id);
        let rows = 0;
        // From the parcel, a layer that only the point has is not told.
        if (from !== null)
          for (const layer of HAZARD_LAYERS) {
            const at = layers.get(layer) ?? null;
            const there =
              own === undefined
                ? (away?.find((row) => row.layer === layer) ?? null)
                : at && findingOnParcel(at, at.onParcels, own);
            if (emitLayer(emit, cell, radius_m, address, i, from, layer, there, at)) rows++;
          }
        if (rows > 0) out++;
        else drops.no_hazard = (drops.no_hazard ?? 0) + 1;
      }
      return { account: { in: parcel.length, out, drops } };
    },
  });
