import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stateOfPath } from '../../pipelines/recognise/dataset_candidate.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { openFolder, pipeline, tinyGnaf } from './fixture.ts';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = openFolder();
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const HOSTILE = 'what\nis: [this].bin';

describe('pipeline init', () => {
  it('writes a configuration of the sample country that works without edits, and lists unrecognised files', async () => {
    const releases = join(folder, 'releases');
    await generateSampleCountry({ properties: 100, seed: 1, out: releases });
    // No releases, and other forms of the same ones.
    for (const beside of ['truth', 'deliveries']) rmSync(join(releases, beside), { recursive: true });
    writeFileSync(join(releases, HOSTILE), 'nothing');
    const file = join(folder, 'pipeline.yaml');
    const written = await pipeline(['init', releases, '--out', file, '--licence', 'generated']);
    expect([written.stderr, written.code]).toEqual([expect.any(String), 0]);
    const text = readFileSync(file, 'utf8');
    const { datasets } = parse(text);
    expect(datasets).toMatchObject({
      gnaf: { adapter: 'gnaf', path: 'releases/gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip' },
      asgs: { adapter: 'asgs', path: 'releases/asgs/*.shp' },
      cadastre_wa: { adapter: 'cadastre', options: { state: 'WA' } },
      zoning_vic: { adapter: 'zoning', options: { state: 'VIC' } },
      overlay_height_nsw: { adapter: 'overlays', options: { state: 'NSW', field_map: 'nsw_height' } },
      // One file of all controls is overlays, and each hazard that some of it is.
      overlays_vic: { adapter: 'overlays', path: 'releases/overlays/vic/PLAN_OVERLAY.shp' },
      heritage_vic: { adapter: 'hazards', path: 'releases/overlays/vic/PLAN_OVERLAY.shp' },
      // A council's columns have a map of another name than that of the state; a table states no datum.
      environment_nsw: { crs: 'EPSG:7844', options: { field_map: 'epa_sites' } },
      stops_tas_bus: { adapter: 'stops', options: { mode: 'bus' } },
      nsw_psi: { adapter: 'nsw_psi', path: 'releases/nsw_psi/*.zip' },
    });
    expect(datasets.listings.path).toEqual(['releases/listings/*.csv', expect.stringMatching(/ndjson\.gz$/)]);
    const adapters = new Set(Object.values<{ adapter: string }>(datasets).map(({ adapter }) => adapter));
    expect([...adapters].sort()).toEqual([
      'asgs',
      'cadastre',
      'census',
      'gnaf',
      'gtfs',
      'hazards',
      'listings',
      'nsw_psi',
      'osm',
      'overlays',
      'overture',
      'reaxml',
      'school_measures',
      'schools',
      'seifa',
      'stops',
      'zoning',
    ]);
    expect(text).toContain(
      '# G-NAF, Geocoded National Address File; release NOVEMBER 2025; CRS EPSG:7844\n  gnaf:',
    );
    // A table of another delimiter and columns that no adapter knows are named with the reason; a name cannot leave its comment.
    expect(text).toContain(
      '# - releases/sales/tasmania.csv: Its header is one column with the delimiter ";"',
    );
    expect(text).toContain('# - releases/overlays/tas/TPS_councils.geojson: no field map fits its columns');
    expect(text).toContain('# - releases/what\n  # is: [this].bin: No adapter reads this file type.');

    const plan = await pipeline(['plan', '--config', file, '--json'], { DATABASE_URL: database.url });
    expect([plan.stderr, plan.code]).toEqual([expect.any(String), 0]);
    const planned = JSON.parse(plan.stdout).datasets as { dataset: string; action: string }[];
    expect(planned.filter(({ action }) => action !== 'load')).toEqual([]);
    expect(planned).toHaveLength(Object.keys(datasets).length);
  });

  it('replaces no file, and leaves an unknown licence to the operator', async () => {
    const releases = join(folder, 'tiny');
    mkdirSync(releases);
    await tinyGnaf(releases);
    writeFileSync(
      join(releases, 'events.csv'),
      'source_id,event_type,event_date,address,price\nA1,sold,2025-01-01,"1 Main Street, Town VIC 3000",500000\n',
    );
    const file = join(folder, 'tiny.yaml');
    const first = await pipeline(['init', releases, '--out', file]);
    const why =
      'Dataset listings states no licence, and its adapter knows none. Set datasets.listings.licence';
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining(why)]);
    expect(first.stdout).toContain('--licence VIC=<name>');
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(
      /listings:\n {4}adapter: listings\n.*\n {4}# licence: …\n {4}# Dataset listings states/,
    );
    // The refusal and doctor use the same words.
    const env = { DATABASE_URL: database.url };
    const refused = await pipeline(['refresh', '--config', file], env);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(why)]);
    const doctor = await pipeline(['doctor', '--config', file], env);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(why)]);
    const again = await pipeline(['init', releases, '--out', file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('output_not_ours')]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const other = (name: string): string[] => ['init', releases, '--out', join(folder, name), '--licence'];
    const open = await pipeline([...other('open.yaml'), 'listings=CC BY 4.0, © Example Realty']);
    expect([open.code, open.stdout]).toEqual([0, expect.not.stringContaining('licence')]);
    const typo = await pipeline([...other('typo.yaml'), 'listing=CC BY 4.0']);
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('matches no dataset')]);
    // Without a configuration a plan would be of taking away all that is loaded.
    const plan = await pipeline(['plan'], env);
    expect([plan.code, plan.stderr]).toEqual([2, expect.stringContaining('config_no_datasets')]);
    const nowhere = await pipeline(['init', join(folder, 'nowhere')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('is not a folder')]);
  });

  it.each([
    ['hazards/nsw/BFPL.shp', 'NSW'],
    ['Victoria/PLAN_ZONE.shp', 'VIC'],
    ['vic/BFPL_NSW.shp', 'NSW'],
    ['asgs/SA2_2021.shp', null],
    ['saved/wart.shp', null],
  ])('takes the state of %s for %s', (path, state) => expect(stateOfPath(path)).toBe(state));
});
