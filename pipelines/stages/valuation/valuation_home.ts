import { parcelFormAsset } from '../../../schema/assets/property.ts';
import { VALUATION_KINDS, valuationHomeAsset } from '../../../schema/assets/valuation.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { modelPartition } from '../../../schema/model_partition.ts';
import { ZONE_CATEGORIES } from '../../../schema/records/zone.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyBasicsTable } from '../../../schema/serving/property_basics.ts';
import { propertyCoverageTable } from '../../../schema/serving/property_coverage.ts';
import { propertyOverlayTable } from '../../../schema/serving/property_overlay.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import { propertyZoningTable } from '../../../schema/serving/property_zoning.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { byPid } from '../addresses/by_key.ts';

/** A hazard layer found at a property. */
interface HomeHazard {
  layer: string;
  on_property: boolean;
  nearest_distance_m: number;
}

const NO_RISKS: readonly HomeHazard[] = [];
const NO_THEMES: readonly string[] = [];

/** Returns 1: the hazard is on the property; 0: it is not; null: no source covers it there. */
function flagOf(layer: string, covered: readonly string[], risks: readonly HomeHazard[]): number | null {
  if (!covered.includes(layer)) return null;
  for (const risk of risks) if (risk.layer === layer && risk.on_property) return 1;
  return 0;
}

/** Returns metres to the nearest power line; null: none within the radius. */
function powerLineOf(risks: readonly HomeHazard[]): number | null {
  let nearest: number | null = null;
  for (const { layer, nearest_distance_m } of risks)
    if (layer === 'hv_power_line' && (nearest === null || nearest_distance_m < nearest))
      nearest = nearest_distance_m;
  return nearest;
}

/**
 * Returns whether the property is a school: the school's point is within half the shorter side of its parcel. That is about 8 m for a house
 * and 50 m for school grounds.
 */
const isSchool = (school_m: number | null, width_m: number | undefined): boolean =>
  school_m !== null && width_m !== undefined && school_m <= width_m / 2;

export const valuationHomeStage = stage({
  name: 'valuation_home',
  version: 6,
  doc: 'Every property as input of the valuation models: attributes, location, and data of other stages.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, [
      'gnaf_pid',
      'state',
      'sal',
      'street',
      'dwelling_type',
      'lon',
      'lat',
      'land_area_sqm',
      'land_area_reason',
      'parcel_id',
      'parcel_addresses',
    ]),
    basics: input(propertyBasicsTable, [
      'gnaf_pid',
      'dwelling_type',
      'bedrooms',
      'bathrooms',
      'parking',
      'advertised_land_sqm',
      'floor_area_sqm',
      'year_built',
    ]),
    proximity: input(propertyProximityTable, [
      'gnaf_pid',
      'school_m',
      'railway_m',
      'tram_m',
      'beach_m',
      'park_m',
      'supermarket_m',
    ]),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer', 'on_property', 'nearest_distance_m']),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered']),
    zoning: input(propertyZoningTable, ['gnaf_pid', 'category']),
    overlay: input(propertyOverlayTable, ['gnaf_pid']),
    form: input(parcelFormAsset, ['parcel_id', 'compactness', 'width_m', 'frontage_m']),
  },
  output: valuationHomeAsset,
  params: () => ({ ZONE_CATEGORIES, VALUATION_KINDS }),
  compute({ property, basics, proximity, risk, coverage, zoning, overlay, form }, { cell, emit }) {
    const [stated, near, covers, zones] = [byPid(basics), byPid(proximity), byPid(coverage), byPid(zoning)];
    const risks = groupBy(risk, (row) => row.gnaf_pid);
    const forms = new Map(form.map((row) => [row.parcel_id, row]));
    const overlays = groupBy(overlay, (row) => row.gnaf_pid);
    for (const row of property) {
      const {
        gnaf_pid,
        state,
        sal,
        street,
        dwelling_type,
        lon,
        lat,
        land_area_sqm,
        land_area_reason,
        parcel_id,
        parcel_addresses,
      } = row;
      const statedFacts = stated.get(gnaf_pid);
      const to = near.get(gnaf_pid);
      const homeRisks = risks.get(gnaf_pid) ?? NO_RISKS;
      const covered = covers.get(gnaf_pid)?.covered ?? NO_THEMES;
      const isUnit = land_area_reason === 'unit_on_shared_parcel';
      const hasNoLand = isUnit || land_area_reason === 'coincident_parcels';
      const shape = hasNoLand || parcel_id === null ? undefined : forms.get(parcel_id);
      const category = zones.get(gnaf_pid)?.category ?? null;
      emit({
        cell,
        gnaf_pid,
        state,
        area: sal,
        street,
        dwelling_type:
          statedFacts?.dwelling_type ??
          (isSchool(to?.school_m ?? null, shape?.width_m) ? 'other' : dwelling_type),
        lon,
        lat,
        bedrooms: statedFacts?.bedrooms ?? null,
        bathrooms: statedFacts?.bathrooms ?? null,
        parking: statedFacts?.parking ?? null,
        land_area_sqm: land_area_sqm ?? statedFacts?.advertised_land_sqm ?? null,
        floor_area_sqm: statedFacts?.floor_area_sqm ?? null,
        year_built: statedFacts?.year_built ?? null,
        school_m: to?.school_m ?? null,
        train_m: to?.railway_m ?? null,
        tram_m: to?.tram_m ?? null,
        beach_m: to?.beach_m ?? null,
        park_m: to?.park_m ?? null,
        supermarket_m: to?.supermarket_m ?? null,
        flood_on: flagOf('flood', covered, homeRisks),
        bushfire_on: flagOf('bushfire', covered, homeRisks),
        heritage_on: flagOf('heritage', covered, homeRisks),
        power_line_m: powerLineOf(homeRisks),
        zone: category === null ? null : (ZONE_CATEGORIES as readonly string[]).indexOf(category),
        overlays: overlays.get(gnaf_pid)?.length ?? 0,
        parcel_addresses,
        compactness: shape?.compactness ?? null,
        width_m: shape?.width_m ?? null,
        frontage_m: shape?.frontage_m ?? null,
        strata_addresses: isUnit ? parcel_addresses : null,
      });
    }
    const states = [...new Set(property.map(({ state }) => state))];
    return {
      account: { in: property.length, out: property.length, drops: {} },
      // Partitions of the models that may value its properties.
      refs: VALUATION_KINDS.flatMap((kind) => states.map((state) => modelPartition(kind, state))),
    };
  },
});
