import { finderCountAsset, searchAreaPartAsset } from '../../schema/assets/api.ts';
import { addressHomeAsset } from '../../schema/assets/property.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { FINDER_AREA_COLUMN, FINDER_LEVELS } from '../../schema/serving/finder_levels.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { type SearchLevel, searchAreaTable } from '../../schema/serving/search_area.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';
import { addPoint, extentOf, pointExtent, widen } from './extent.ts';

type Part = { -readonly [K in keyof Row<typeof searchAreaPartAsset>]: Row<typeof searchAreaPartAsset>[K] };
type Area = [level: SearchLevel, code: string | null, name: string | null, within?: 'sa2' | 'sa3'];

/** The regions of an address. */
type Regions = Pick<
  Row<typeof addressHomeAsset>,
  | 'sa2'
  | 'sa2_name'
  | 'sa3'
  | 'sa3_name'
  | 'sa4'
  | 'sa4_name'
  | 'gccsa'
  | 'gccsa_name'
  | 'sal'
  | 'sal_name'
  | 'lga'
  | 'lga_name'
  | 'poa'
>;

/** The themes that stand in both lists. */
const both = (a: string[], b: string[]): string[] =>
  a.length === b.length && a.every((theme, i) => theme === b[i]) ? a : a.filter((theme) => b.includes(theme));

/** The areas that an address may lie in, by the regions that it was located in. */
function areasOf(row: Regions, state: string): Area[] {
  const areas: Area[] = [
    ['SAL', row.sal, row.sal_name, 'sa2'],
    ['SA2', row.sa2, row.sa2_name, 'sa2'],
    ['SA3', row.sa3, row.sa3_name, 'sa3'],
    ['SA4', row.sa4, row.sa4_name],
    ['LGA', row.lga, row.lga_name],
    ['POA', row.poa, row.poa],
    ['GCCSA', row.gccsa, row.gccsa_name],
    ['STE', state, STATE_NAMES[state] ?? state],
  ];
  return areas.filter(([, code, name]) => code !== null && name !== null);
}

/** The part of an area, begun where it is not there: without properties, covered as its first one is. */
function partOf(
  parts: Map<string, Part>,
  cell: number,
  state: string,
  row: Regions,
  covered: string[],
  [level, code, name, within]: Area,
): Part {
  const sa2 = within === 'sa2' ? (row.sa2 ?? '') : '';
  const sa3 = within === undefined ? '' : (row.sa3 ?? '');
  const key = `${level}|${code}|${state}|${sa2}`;
  let part = parts.get(key);
  if (part === undefined) {
    const none = pointExtent(null, null);
    part = { cell, level, code: code!, name: name!, state, sa2, sa3, properties: 0, covered, ...none };
    parts.set(key, part);
  }
  return part;
}

export const searchAreaPartStage = stage({
  name: 'search_area_part',
  version: 2,
  doc: 'Properties of one cell in each suburb, region and state.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, [
      'gnaf_pid',
      'state',
      'lon',
      'lat',
      'sa2',
      'sa2_name',
      'sa3',
      'sa3_name',
      'sa4',
      'sa4_name',
      'gccsa',
      'gccsa_name',
      'sal',
      'sal_name',
      'lga',
      'lga_name',
      'poa',
    ]),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered']),
  },
  output: searchAreaPartAsset,
  params: () => ({ FINDER_AREA_COLUMN, FINDER_LEVELS }),
  compute({ region, coverage }, { cell, emit }) {
    const coverages = byPid(coverage);
    const parts = new Map<string, Part>();
    // The parts of addresses that lie in the same areas.
    const partsOf = new Map<string, Part[]>();
    for (const row of region) {
      const { state, lon, lat } = row;
      const { covered } = coverages.get(row.gnaf_pid)!;
      const { sal, sal_name, sa2, sa2_name, sa3, sa3_name, sa4, sa4_name } = row;
      const { lga, lga_name, poa, gccsa, gccsa_name } = row;
      const place = `${sal}|${sal_name}|${sa2}|${sa2_name}|${sa3}|${sa3_name}|${sa4}|${sa4_name}|${lga}|${lga_name}|${poa}|${gccsa}|${gccsa_name}|${state}`;
      let own = partsOf.get(place);
      if (own === undefined) {
        own = areasOf(row, state).map((area) => partOf(parts, cell, state, row, covered, area));
        partsOf.set(place, own);
      }
      for (const part of own) {
        part.properties++;
        if (part.covered !== covered) part.covered = both(part.covered, covered);
        addPoint(part, lon, lat);
      }
    }
    for (const row of parts.values()) emit(row);
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});

/** The value that most properties have; ties go to the lowest. Empty: none has one. */
function most(parts: readonly Part[], of: (part: Part) => string): string {
  const sums = new Map<string, number>();
  for (const part of parts)
    if (of(part) !== '') sums.set(of(part), (sums.get(of(part)) ?? 0) + part.properties);
  const [best] = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return best?.[0] ?? '';
}

export const serveSearchAreaStage = stage({
  name: 'serve_search_area',
  version: 3,
  doc: 'Rows of serving.search_area.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(
      searchAreaPartAsset,
      [
        'cell',
        'level',
        'code',
        'name',
        'state',
        'sa2',
        'sa3',
        'properties',
        'covered',
        'min_lon',
        'min_lat',
        'max_lon',
        'max_lat',
      ],
      { kind: 'all' },
    ),
    count: input(finderCountAsset, ['level', 'area', 'found'], { kind: 'all' }),
  },
  output: searchAreaTable,
  params: () => ({ FINDER_AREA_COLUMN, FINDER_LEVELS }),
  compute({ part, count }, { emit }) {
    const found = new Map<string, number>();
    for (const row of count) {
      const key = `${row.level}|${row.area}`;
      found.set(key, (found.get(key) ?? 0) + row.found);
    }
    for (const parts of groupBy(part, ({ level, code }) => `${level}|${code}`).values()) {
      const { level, code, name } = parts[0]!;
      const sa2 = most(parts, (row) => row.sa2);
      emit({
        level,
        code,
        cell: NO_CELL,
        name,
        name_key: searchKey(name),
        state: most(parts, (row) => row.state),
        sa2: sa2 || null,
        sa3: parts.find((row) => row.sa2 === sa2)?.sa3 || null,
        properties: parts.reduce((sum, row) => sum + row.properties, 0),
        by_default:
          level in FINDER_AREA_COLUMN ? (found.get(`${level}|${level === 'SAL' ? name : code}`) ?? 0) : null,
        covered: parts.map((row) => row.covered).reduce(both),
        ...parts.map(extentOf).reduce(widen),
      });
    }
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});
