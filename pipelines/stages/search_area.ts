import { addressHomeAsset } from '../../schema/assets/property.ts';
import { FINDER_AREA_COLUMN, FINDER_LEVELS } from '../../schema/serving/finder_levels.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { type SearchLevel, searchAreaTable } from '../../schema/serving/search_area.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import { col, nullable, type Row } from '../../schema/table.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import { input } from '../engine/input.ts';
import { byPid, groupBy } from './by_key.ts';
import { finderCountAsset } from './finder_count.ts';
import { box, boxAround, common, first, inBoth, most, properties } from './measures.ts';
import { rollup } from './rollup.ts';

/** Columns that say in which areas an address lies. */
const PLACE = [
  'state',
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
] as const;
type Place = Pick<Row<typeof addressHomeAsset>, (typeof PLACE)[number]>;

/** A level, and at it: code and name of an area, SA2 and SA3 that its row tells. */
type AreaAt = [SearchLevel, code: string | null, name: string | null, sa2: string | null, sa3: string | null];

/** The areas of a place; levels at which it is not located are left out. */
function areasOf({ state, sa2, sa3, poa, ...place }: Place) {
  const areas: AreaAt[] = [
    ['SAL', place.sal, place.sal_name, sa2, sa3],
    ['SA2', sa2, place.sa2_name, sa2, sa3],
    ['SA3', sa3, place.sa3_name, null, sa3],
    ['SA4', place.sa4, place.sa4_name, null, null],
    ['LGA', place.lga, place.lga_name, null, null],
    ['POA', poa, poa, null, null],
    ['GCCSA', place.gccsa, place.gccsa_name, null, null],
    ['STE', state, STATE_NAMES[state] ?? state, null, null],
  ];
  return areas.flatMap(([level, code, name, sa2, sa3]) =>
    code === null || name === null ? [] : [{ level, code, name, state, sa2, sa3 }],
  );
}

export const {
  asset: searchAreaPartAsset,
  part: searchAreaPartStage,
  whole: serveSearchAreaStage,
} = rollup({
  params: { FINDER_AREA_COLUMN, FINDER_LEVELS },
  parts: {
    name: 'search_area_part',
    doc: 'Properties of one grid cell in each area that a search may name: the partial sums of search_area.',
    by: {
      level: col('text', 'SAL SA2 SA3 SA4 LGA POA GCCSA STE.'),
      code: col('text', 'ABS code; of a state its abbreviation.'),
      state: col('text', 'State abbreviation.'),
      sa2: nullable(
        'text',
        'SA2 of a suburb’s properties, or the SA2 itself; null: another region, or not located.',
      ),
    },
    measures: [
      first({
        name: col('text', 'ABS name, verbatim; of a POA its code.'),
        sa3: nullable('text', 'SA3 of that SA2, or the SA3 itself; null: another region, or not located.'),
      }),
      properties,
      common({ covered: col('text[]', 'Themes that some source covers at every one of them, sorted.') }),
      box,
    ],
  },
  part: {
    version: 2,
    doc: 'Properties of one cell in each suburb, region and state.',
    subject: 'region',
    inputs: {
      region: input(addressHomeAsset, ['gnaf_pid', 'lon', 'lat', ...PLACE]),
      coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered']),
    },
    gather({ region, coverage }, add) {
      const coverages = byPid(coverage);
      for (const here of groupBy(region, (row) => PLACE.map((name) => row[name]).join('|')).values()) {
        const covered = here.map(({ gnaf_pid }) => coverages.get(gnaf_pid)!.covered).reduce(inBoth);
        const merged = { properties: here.length, covered, ...boxAround(here) };
        for (const area of areasOf(here[0]!)) add({ ...area, ...merged });
      }
    },
  },
  whole: {
    name: 'serve_search_area',
    version: 3,
    output: searchAreaTable,
    by: ['level', 'code'],
    inputs: { count: input(finderCountAsset, ['level', 'area', 'found'], { kind: 'all' }) },
    prepare({ count }) {
      const found = new Map<string, number>();
      for (const row of count) {
        const key = `${row.level}|${row.area}`;
        found.set(key, (found.get(key) ?? 0) + row.found);
      }
      return found;
    },
    rows(total, parts, found) {
      const { level, code, name } = total;
      const sa2 = most(parts, 'sa2');
      const by_default =
        level in FINDER_AREA_COLUMN ? (found.get(`${level}|${level === 'SAL' ? name : code}`) ?? 0) : null;
      return [
        {
          ...total,
          name_key: searchKey(name),
          state: most(parts, 'state'),
          sa2,
          sa3: parts.find((row) => row.sa2 === sa2)?.sa3 ?? null,
          by_default,
        },
      ];
    },
  },
});
