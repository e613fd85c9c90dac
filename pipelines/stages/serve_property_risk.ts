import { addressParcelAsset, parcelHazardAsset, publicHousingPieceAsset } from '../../schema/assets.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import type { Row } from '../../schema/table.ts';
import { type NearestToPoints, nearestToPoints } from '../../transforms/hazards/nearest_to_points.ts';
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

/** Addresses without coordinates are near nothing. */
const NOWHERE = { column: 'feature_id', of: () => null } as const;

/** A hazard layer and what is found of it at the points of the addresses. */
interface LayerAtPoints extends HazardLayerIndex {
  readonly found: NearestToPoints;
}

/** Every layer searched at flat lon, lat pairs, by name in the order of the layers. */
function searchLayers(
  layers: readonly HazardLayerIndex[],
  lonlat: Float64Array,
  within_m: number,
): Map<string, LayerAtPoints> {
  return new Map(
    layers.map((each) => [
      each.layer,
      { ...each, found: nearestToPoints(each.index, lonlat, { within_m, rank: each.rank }) },
    ]),
  );
}

/** What is found at a point, by its number; something is. */
function findingAt({ found, features }: LayerAtPoints, i: number): HazardFinding {
  const is_on = found.on[i] === 1;
  const { feature_id, name, code, severity, event_date } =
    features[is_on ? found.top[i]! : found.nearest[i]!]!;
  return {
    is_on,
    distance_m: found.distance_m[i]!,
    features: found.features[i]!,
    feature_id,
    name,
    code,
    severity,
    event_date,
  };
}

/** What a parcel has of a layer. */
interface ParcelFinding extends HazardFinding {
  layer: string;
  share: number;
}

const NO_ROWS: readonly ParcelFinding[] = [];

function hasLayer(findings: readonly ParcelFinding[], layer: string): boolean {
  for (const finding of findings) if (finding.layer === layer) return true;
  return false;
}

/** An address, by its number among those of the partition. */
interface Subject {
  gnaf_pid: string;
  parcel_id: string | null;
  i: number;
  hasPoint: boolean;
  state: string;
  sa2: string | null;
  sa3: string | null;
}

/** Emits the row of a layer, where the one it is measured from has something of it; true where it has. */
function emitLayer(
  emit: (row: Row<typeof propertyRiskTable>) => void,
  cell: number,
  search_radius_m: number,
  { gnaf_pid, parcel_id, i, hasPoint, state, sa2, sa3 }: Subject,
  from: 'parcel' | 'point',
  layer: string,
  there: ParcelFinding | null,
  atPoint: ReadonlyMap<string, LayerAtPoints>,
): boolean {
  const at = atPoint.get(layer);
  const here = at !== undefined && at.found.nearest[i]! >= 0 ? at : null;
  const finding = from === 'parcel' ? there : here && findingAt(here, i);
  if (finding === null) return false;
  const fed = fedColumns(from, finding);
  const onParcel = parcel_id !== null;
  const margin_m = here ? here.found.margin_m[i]! : Infinity;
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
    point_on: hasPoint ? here?.found.on[i] === 1 : null,
    point_distance_m: here ? here.found.distance_m[i]! : null,
    point_features: hasPoint ? (here ? here.found.features[i]! : 0) : null,
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
        },
      ),
      hazard: input(
        hazardPieceRecord,
        HAZARD_COLUMNS,
        { kind: 'near', halo_m: radius_m, unplaced: NOWHERE },
        ASSESSED,
      ),
      housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, {
        kind: 'near',
        halo_m: radius_m,
        unplaced: { column: 'sa1', of: () => null },
      }),
    },
    output: propertyRiskTable,
    params: ({ hazards }) => ({ measured_from: hazards.measured_from }),
    compute({ parcel, on_parcel, hazard, housing }, { cell, params, emit }) {
      const onParcel = groupBy(on_parcel, (row) => row.parcel_id);
      const lonlat = new Float64Array(parcel.length * 2).fill(Number.NaN);
      parcel.forEach(({ lon, lat }, i) => {
        if (lon === null) return;
        lonlat[i * 2] = lon;
        lonlat[i * 2 + 1] = lat!;
      });
      const atPoint = searchLayers(hazardLayers(hazard, housing, planeOfCell(cell)), lonlat, radius_m);
      const drops: Record<string, number> = {};
      let out = 0;
      for (let i = 0; i < parcel.length; i++) {
        const { gnaf_pid, state, sa2, sa3, lon, parcel_id } = parcel[i]!;
        const hasPoint = lon !== null;
        const from = measuredFrom(params.measured_from, parcel_id !== null, hasPoint);
        let layers = 0;
        const of = { gnaf_pid, parcel_id, i, hasPoint, state, sa2, sa3 };
        const parcelRows = parcel_id === null ? NO_ROWS : (onParcel.get(parcel_id) ?? NO_ROWS);
        if (from !== null)
          for (const there of parcelRows)
            if (emitLayer(emit, cell, radius_m, of, from, there.layer, there, atPoint)) layers++;
        // From the parcel, a layer that only the point has is not told.
        if (from === 'point')
          for (const layer of atPoint.keys())
            if (
              !hasLayer(parcelRows, layer) &&
              emitLayer(emit, cell, radius_m, of, from, layer, null, atPoint)
            )
              layers++;
        if (layers > 0) out++;
        else drops.no_hazard = (drops.no_hazard ?? 0) + 1;
      }
      return { account: { in: parcel.length, out, drops } };
    },
  });
