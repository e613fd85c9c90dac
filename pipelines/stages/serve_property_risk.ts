import {
  addressParcelAsset,
  addressRegionAsset,
  parcelHazardAsset,
  publicHousingPieceAsset,
} from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import type { Row } from '../../schema/table.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { nearestToPoints } from '../../transforms/hazards/nearest_to_points.ts';
import { fedColumns, type HazardFinding, measuredFrom } from '../../transforms/risk_row.ts';
import { input, type Stage, stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';
import {
  ASSESSED,
  HAZARD_COLUMNS,
  HOUSING_COLUMNS,
  hazardLayers,
  planeOfCell,
  told,
} from './hazard_layers.ts';

/** What is found at the point of an address, besides what a parcel has too. */
type PointFinding = HazardFinding & { margin_m: number | null };

/** Addresses without coordinates are near nothing. */
const NOWHERE = { column: 'feature_id', of: () => null } as const;

const finite = (metres: number): number | null => (Number.isFinite(metres) ? metres : null);

/** The findings of every layer at flat lon, lat pairs: for each layer, by number of the point; null: nothing in the radius. */
function findingsAtPoints(
  layers: ReturnType<typeof hazardLayers>,
  lonlat: Float64Array,
  within_m: number,
): Map<string, (PointFinding | null)[]> {
  const byLayer = new Map<string, (PointFinding | null)[]>();
  for (const { layer, index, features, rank } of layers) {
    const found = nearestToPoints(index, lonlat, { within_m, rank });
    const findings = Array.from({ length: lonlat.length / 2 }, (_, i): PointFinding | null => {
      const nearest = found.nearest[i]!;
      if (nearest < 0) return null;
      const is_on = found.on[i] === 1;
      return {
        is_on,
        distance_m: found.distance_m[i]!,
        features: found.features[i]!,
        margin_m: finite(found.margin_m[i]!),
        ...told(features[is_on ? found.top[i]! : nearest]!),
      };
    });
    byLayer.set(layer, findings);
  }
  return byLayer;
}

/** The hazards of each property; the search radius decides how far the stage looks, so it is part of the declaration. */
export const servePropertyRiskStage = (radius_m: number): Stage =>
  stage({
    name: 'serve_property_risk',
    version: 2,
    doc: 'Rows of serving.property_risk: every hazard layer within the search radius, from the parcel and from the point.',
    subject: 'parcel',
    inputs: {
      parcel: input(addressParcelAsset, ['gnaf_pid', 'parcel_id']),
      region: input(addressRegionAsset, ['gnaf_pid', 'sa2', 'sa3']),
      address: input(addressRecord, ['gnaf_pid', 'state', 'geocode_type', 'geocode_level', 'lon', 'lat']),
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
        { kind: 'refs', stage: 'address_parcel', within: { table: addressParcelAsset, column: 'parcel_id' } },
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
    compute({ parcel, region, address, on_parcel, hazard, housing }, { cell, params }) {
      const regions = byPid(region);
      const addresses = byPid(address);
      const onParcel = groupBy(on_parcel, (row) => row.parcel_id);
      const lonlat = new Float64Array(parcel.length * 2).fill(Number.NaN);
      const hasPoint = parcel.map(({ gnaf_pid }, i) => {
        const place = addresses.get(gnaf_pid)!;
        const onIt = hasParcelPosition(place);
        if (onIt) lonlat.set([place.lon!, place.lat!], i * 2);
        return onIt;
      });
      const atPoint = findingsAtPoints(hazardLayers(hazard, housing, planeOfCell(cell)), lonlat, radius_m);
      const rows: Row<typeof propertyRiskTable>[] = [];
      const drops: Record<string, number> = {};
      let out = 0;
      parcel.forEach(({ gnaf_pid, parcel_id }, i) => {
        const from = measuredFrom(params.measured_from, parcel_id !== null, hasPoint[i]!);
        const before = rows.length;
        const { sa2, sa3 } = regions.get(gnaf_pid)!;
        const { state } = addresses.get(gnaf_pid)!;
        const parcelRows = parcel_id === null ? [] : (onParcel.get(parcel_id) ?? []);
        const layers = new Set([...parcelRows.map((row) => row.layer), ...atPoint.keys()]);
        for (const layer of layers) {
          const there = parcelRows.find((row) => row.layer === layer) ?? null;
          const here = atPoint.get(layer)?.[i] ?? null;
          const fed = from === 'parcel' ? there : here;
          if (from === null || fed === null) continue;
          rows.push({
            gnaf_pid,
            layer,
            cell,
            state,
            sa2,
            sa3,
            ...fedColumns(from, fed),
            search_radius_m: radius_m,
            parcel_on: parcel_id === null ? null : (there?.is_on ?? false),
            parcel_distance_m: there?.distance_m ?? null,
            parcel_features: parcel_id === null ? null : (there?.features ?? 0),
            parcel_share: parcel_id === null ? null : (there?.share ?? 0),
            point_on: hasPoint[i] ? (here?.is_on ?? false) : null,
            point_distance_m: here?.distance_m ?? null,
            point_features: hasPoint[i] ? (here?.features ?? 0) : null,
            point_margin_m: here?.margin_m ?? null,
          });
        }
        if (rows.length > before) out++;
        else drops.no_hazard = (drops.no_hazard ?? 0) + 1;
      });
      return { rows, account: { in: parcel.length, out, drops } };
    },
  });
