import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDatabase } from '../database.ts';
import { hasSharedData, sharedPath } from '../shared_data.ts';
import { openFolder, pipeline } from './fixture.ts';

/** What `init` and `refresh` make of a delivery. */
interface Wanted {
  /** Datasets that are read. None: the folder is a question. */
  datasets: string[];
  /** Exit code of `refresh`, or the only error it may end with. */
  fails?: RegExp;
  /** A query of what was loaded, and its rows. */
  rows?: [sql: string, rows: unknown[]];
}

const NO_GNAF = 'Not there: no G-NAF: no addresses, so no properties are published.';

const DELIVERIES: Readonly<Record<string, Wanted>> = {
  'states/national': { datasets: [] },
  'states/nsw': { datasets: ['environment_nsw', 'schools_nsw'] },
  'states/nt_gtfs': { datasets: ['gtfs'] },
  'states/qld_zones': { datasets: ['zoning_qld'] },
  'states/reaxml': { datasets: ['reaxml'] },
  'states/sa_overlays': { datasets: ['bushfire_sa', 'overlays_sa'] },
  'states/sa_zones': { datasets: ['zoning_sa'] },
  'states/tas_cadastre': { datasets: ['cadastre_tas'] },
  'states/tas_gtfs': { datasets: [] },
  'states/wa': { datasets: ['heritage_wa', 'zoning_wa'] },
  'deliveries/bmo': { datasets: ['bushfire_vic', 'overlays_vic'] },
  'deliveries/gdb_folder': { datasets: ['zoning_vic'] },
  'deliveries/gnaf_no_datum': { datasets: [] },
  'deliveries/gnaf_unzipped': {
    datasets: ['gnaf'],
    rows: ['SELECT count(*)::int AS n FROM serving.property', [{ n: 451 }]],
  },
  'deliveries/gtfs_bus': { datasets: [] },
  'deliveries/ilua_as_cadastre': { datasets: [] },
  'deliveries/model_type': { datasets: ['gnaf'] },
  'deliveries/overlays_as_zones': {
    datasets: ['flood_qld', 'heritage_qld', 'zoning_qld'],
    rows: [
      'SELECT DISTINCT name FROM record.zone_piece ORDER BY name',
      [{ name: 'Open space' }, { name: 'Township' }],
    ],
  },
  'deliveries/rail_as_hv': { datasets: [] },
  // The axes of a file are swapped.
  'deliveries/rejected_file': {
    datasets: ['flood_vic', 'flood_vic_2', 'gnaf', 'heritage_vic', 'overlays_vic', 'overlays_vic_2'],
    fails: /most_rejected/,
  },
  'deliveries/two_digit_year': { datasets: [] },
  // The registers share their numbers.
  'deliveries/wa_heritage': {
    datasets: ['heritage_wa'],
    rows: [
      'SELECT hazard_class, count(DISTINCT feature_id)::int AS n FROM record.hazard_piece GROUP BY 1 ORDER BY 1',
      [
        { hazard_class: 'Child of State Register Place', n: 608 },
        { hazard_class: 'Heritage Agreement', n: 131 },
        { hazard_class: 'Heritage area', n: 174 },
        { hazard_class: 'State Register Place', n: 625 },
      ],
    ],
  },
  // Neither the box of the features nor one kind of overlay covers anything.
  'deliveries/vic_extract_box': {
    datasets: ['flood_vic', 'gnaf', 'overlays_vic'],
    rows: [
      'SELECT (SELECT count(*)::int FROM record.coverage_piece) + (SELECT count(*)::int FROM record.coverage_area) AS n',
      [{ n: 0 }],
    ],
  },
  // A list of lots is a question.
  'deliveries/sa_lot_list_as_zones': {
    datasets: ['gnaf'],
    rows: ['SELECT count(*)::int AS n FROM serving.property_zoning', [{ n: 0 }]],
  },
  'deliveries/coastal_parts': { datasets: ['erosion_qld'] },
  'deliveries/csv_with_sa2_column': { datasets: [] },
  'deliveries/wa_scheme_file_left_out': {
    datasets: ['gnaf', 'zoning_wa'],
    rows: [
      'SELECT DISTINCT name FROM record.zone_piece ORDER BY name',
      [{ name: 'Regional open space' }, { name: 'Urban' }, { name: 'Waterways' }],
    ],
  },
  'deliveries/zoned_code': {
    datasets: ['zoning_vic'],
    rows: [
      "SELECT DISTINCT category FROM record.zone_piece WHERE code = 'GRZ1'",
      [{ category: 'residential_low' }],
    ],
  },
};

// The whole of Yarra is in init_yarra.test.ts.
describe.skipIf(!hasSharedData('init and refresh of every delivery'))(
  'init and refresh of a delivery give the right tables or a question',
  () => {
    let folder: string;

    beforeAll(() => {
      folder = openFolder();
    });

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each(Object.entries(DELIVERIES))('%s', { timeout: 120_000 }, async (name, wanted) => {
      const own = join(folder, name.replace('/', '_'));
      mkdirSync(own);
      cpSync(sharedPath(name), join(own, 'data'), { recursive: true });
      const file = join(own, 'pipeline.yaml');
      const init = await pipeline(['init', join(own, 'data'), '--out', file, '--licence', 'CC-BY-4.0']);
      expect([init.code, init.stderr]).toEqual([0, expect.any(String)]);
      const text = readFileSync(file, 'utf8');
      const { datasets } = parse(text);
      expect(Object.keys(datasets).sort()).toEqual(wanted.datasets);
      if (wanted.datasets.length === 0) {
        expect(text).toMatch(/Not read|\?/);
        return;
      }
      const database = await createDatabase();
      try {
        const refresh = await pipeline(['refresh', '--config', file], { DATABASE_URL: database.url });
        const { code, stdout, stderr } = refresh;
        if (code === 0 || wanted.fails === undefined) expect([code, stderr]).toEqual([0, expect.any(String)]);
        else expect(stdout + stderr).toMatch(wanted.fails);
        if (code === 0 && !wanted.datasets.includes('gnaf')) {
          const doctor = await pipeline(['doctor', '--config', file], { DATABASE_URL: database.url });
          for (const said of [init.stdout, stdout, doctor.stdout]) expect(said).toContain(NO_GNAF);
        }
        if (wanted.rows !== undefined) expect(await database.query(wanted.rows[0])).toEqual(wanted.rows[1]);
      } finally {
        await database.drop();
      }
    });
  },
);
