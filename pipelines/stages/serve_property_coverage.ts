import { addressHomeAsset, cadastreHomeAsset } from '../../schema/assets/property.ts';
import { censusRegionRecord } from '../../schema/records/census.ts';
import {
  COVERAGE_THEMES,
  coverageAreaRecord,
  coveragePieceRecord,
  WHOLE_STATE,
} from '../../schema/records/coverage.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../schema/records/hazard.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { coveredByName } from '../../transforms/regions/coverage.ts';
import { publicHousingShare } from '../../transforms/regions/demographics.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './homes/by_key.ts';
import { PiecesAtPoints } from './layers/pieces_at_points.ts';

/** Themes of the pieces that hold a point. */
function themesAt(
  pieces: readonly { cell: number; geom: Uint8Array; theme: string }[],
): (lon: number | null, lat: number | null) => string[] {
  const atPoints = new PiecesAtPoints(pieces);
  return (lon, lat) => (lon === null ? [] : atPoints.at(lon, lat!).map((i) => pieces[i]!.theme));
}

const NONE: string[] = [];

const AT_ADDRESSES = { kind: 'near', halo_m: 0, around: addressHomeAsset } as const;

const sorted = (themes: Iterable<string>): string[] => [...new Set(themes)].sort();

export const servePropertyCoverageStage = stage({
  name: 'serve_property_coverage',
  version: 6,
  doc: 'Rows of serving.property_coverage: the themes that a source covers, or has a finding for, at each property.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['gnaf_pid', 'state', 'lon', 'lat', 'sa1', 'sa2', 'sa3', 'lga']),
    cadastre: input(cadastreHomeAsset, ['cell']),
    census: input(
      censusRegionRecord,
      ['code', 'rented_from_state', 'rented_from_community', 'tenure_total', 'tenure_not_stated'],
      { kind: 'keys', column: 'code', of: (region: { sa1: string | null }) => region.sa1 },
      { level: 'SA1' },
    ),
    area: input(coverageAreaRecord, ['theme', 'state', 'area'], { kind: 'all' }),
    outline: input(coveragePieceRecord, ['cell', 'theme', 'geom'], AT_ADDRESSES),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer']),
    unassessed: input(hazardPieceRecord, ['cell', 'layer', 'geom'], AT_ADDRESSES, {
      is_assessed: false,
      shape: 'polygon',
    }),
  },
  output: propertyCoverageTable,
  params: () => ({ COVERAGE_THEMES, WHOLE_STATE, HAZARD_LAYERS }),
  compute({ region, cadastre, census, area, outline, risk, unassessed }, { cell, emit }) {
    const byName = coveredByName(area);
    const byOutline = themesAt(outline);
    const unassessedAt = themesAt(unassessed.map(({ cell, geom, layer }) => ({ cell, geom, theme: layer })));
    // The Census covers public housing where an SA1 has dwellings enough for a share.
    const counted = new Set(census.filter((row) => publicHousingShare(row) !== null).map((row) => row.code));
    const hasParcels = cadastre.length > 0;
    // Most addresses of a cell have the same themes, and so one list.
    const lists = new Map<string, string[]>();
    const listOf = (key: string, make: () => string[]): string[] => {
      const known = lists.get(key);
      if (known !== undefined) return known;
      const made = make();
      lists.set(key, made);
      return made;
    };
    const risks = groupBy(risk, (row) => row.gnaf_pid);
    for (const { gnaf_pid, state, lon, lat, sa1, sa2, sa3, lga } of region) {
      const outlines = byOutline(lon, lat);
      const hasHousing = sa1 !== null && counted.has(sa1);
      // Of what was found near a property somebody knows, whatever a source says of its reach.
      const found = sorted((risks.get(gnaf_pid) ?? []).map(({ layer }) => layer));
      const notAssessed = unassessedAt(lon, lat).filter((layer) => !found.includes(layer));
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        covered: listOf(`${state}|${lga ?? ''}|${outlines.join()}|${found.join()}|${hasHousing}`, () =>
          sorted([
            ...byName(state, lga),
            ...outlines,
            ...found,
            ...(hasParcels ? ['parcel'] : []),
            ...(hasHousing ? ['public_housing'] : []),
          ]),
        ),
        unassessed:
          notAssessed.length === 0 ? NONE : listOf(`-${notAssessed.join()}`, () => sorted(notAssessed)),
      });
    }
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});
