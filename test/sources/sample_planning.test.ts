import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coverageAreaRecord, coveragePieceRecord } from '../../schema/records/coverage.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { DatasetConfig } from '../../sources/adapter.ts';
import { cadastreAdapter } from '../../sources/cadastre/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { PLANNING_DATASETS } from '../../tools/sample/hazards/registry.ts';
import { pointInMultiPolygon } from '../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { releaseFiles, truthOf } from '../tools/sample/sample_files.ts';
import { adapterConformance, readPart } from './conformance.ts';

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sample-planning-'));
  await generateSampleCountry({ properties: 6000, seed: 11, out });
});
afterAll(() => rm(out, { recursive: true, force: true }));

/** The files that findFiles would list for the paths of a sample dataset. */
function configOf(id: string): DatasetConfig {
  const { path, options, crs } = PLANNING_DATASETS.find((each) => each.id === id)!;
  const stems = path.map((each) => join(out, each).replace(/\.shp$/, '.'));
  const files = releaseFiles(out).filter((file) => stems.some((stem) => file.path.startsWith(stem)));
  return { id, files, release: null, crs: crs ?? null, options };
}

async function readAll(id: string) {
  const adapter = adapterNamed(PLANNING_DATASETS.find((each) => each.id === id)!.adapter);
  const { release, parts } = await adapter.discover(configOf(id));
  const results = [];
  for (const part of parts) results.push(await readPart(adapter, release, part));
  return { release, parts, results };
}

/** Tables with features among the tables that a part gave. */
const featureRowsOf = ({ rows }: Awaited<ReturnType<typeof readPart>>) =>
  [...rows].filter(([{ name }]) => !name.startsWith('coverage_'));

describe.each([
  'heritage_nsw',
  'height_nsw',
  'overlays_vic',
  'flood_tas',
  'flood_qld',
  'contaminated_sites_nsw',
  'hv_power_line_au',
  'mobile_black_spot_au',
])('conformance', (id) => {
  const { adapter } = PLANNING_DATASETS.find((each) => each.id === id)!;
  adapterConformance(id, async () => ({ adapter: adapterNamed(adapter), dataset: configOf(id) }));
});

describe('planning datasets of the sample country', () => {
  it.each(PLANNING_DATASETS.map(({ id }) => id))('%s takes the features that the truth says', async (id) => {
    const { results } = await readAll(id);
    const truth = truthOf(out, 'planning_datasets').find((row) => row.dataset === id)!;
    const account = results[0]!.accounts[0]!;
    expect(account).toMatchObject({ records: Number(truth.features), rejects: 0 });
    const dropped = Object.values(account.drops).reduce((sum, count) => sum + count, 0);
    expect(dropped).toBe(Number(truth.other_features));
    for (const [table, rows] of featureRowsOf(results[0]!)) {
      expect(new Set(rows.map((row) => row.source_no)).size, table.name).toBe(account.records);
      const ids = rows.map((row) => `${row.cell} ${row.feature_id ?? row.overlay_id}`);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it.each([
    ['nsw', 'heritage_nsw', 'heritage'],
    ['nsw', 'height_nsw', 'overlay'],
    ['vic', 'overlays_vic', 'overlay'],
    ['sa', 'heritage_sa', 'heritage'],
    ['tas', 'heritage_tas', 'heritage'],
  ])('of %s, %s covers the parcels that the truth says', async (state, id, theme) => {
    const files = releaseFiles(join(out, 'cadastre', state));
    const options = { state: state.toUpperCase() };
    const config = { id: 'cadastre', files, release: null, crs: null, options };
    const { release, parts } = await cadastreAdapter.discover(config);
    const { rows: parcels } = await readPart(cadastreAdapter, release, parts[0]!);
    const shapes = featureRowsOf((await readAll(id)).results[0]!)
      .flatMap(([, rows]) => rows)
      .map((row) => ({
        key: theme === 'overlay' ? `${row.layer} ${row.value}` : `${theme} ${row.name}`,
        geometry: decodeWkb(row.geom as Uint8Array),
      }));
    const wanted = truthOf(out, 'planning_parcels').filter((row) => row.theme === theme);
    const keys = new Set(wanted.map((row) => `${row.layer} ${row.value}`));
    const listed = new Set(wanted.map((row) => `${row.layer} ${row.value} ${row.parcel_id}`));
    let covered = 0;
    for (const parcel of parcels.get(parcelRecord)!) {
      const [lon, lat] = decodeWkb(parcel.geom as Uint8Array).coords;
      for (const key of new Set(
        shapes.filter(({ geometry }) => pointInMultiPolygon(lon!, lat!, geometry)).map((shape) => shape.key),
      )) {
        if (!keys.has(key)) continue;
        expect(listed, `${key} ${parcel.parcel_id}`).toContain(`${key} ${parcel.parcel_id}`);
        covered++;
      }
    }
    const own = new Set(shapes.map(({ key }) => key));
    const prefix = `${state.toUpperCase()}:`;
    const expected = wanted.filter(
      (row) => row.parcel_id!.startsWith(prefix) && own.has(`${row.layer} ${row.value}`),
    );
    expect(covered).toBe(expected.length);
    expect(covered).toBeGreaterThan(0);
  });

  it('claim each theme only where they cover it', async () => {
    const areas = new Set<string>();
    let outlines = 0;
    for (const { id } of PLANNING_DATASETS) {
      const { results } = await readAll(id);
      for (const { rows } of results) {
        for (const row of rows.get(coverageAreaRecord) ?? [])
          areas.add(`${row.theme} ${row.state} ${row.area}`);
        outlines += rows.get(coveragePieceRecord)?.length ?? 0;
      }
    }
    for (const covered of [
      'bushfire NSW *',
      'flood VIC *',
      'overlay SA *',
      'overlay NT 71000',
      'hv_power_line NT *',
    ])
      expect(areas).toContain(covered);
    for (const unknown of ['flood NSW *', 'flood WA *', 'bushfire NT *', 'flood TAS *', 'bushfire TAS *'])
      expect(areas).not.toContain(unknown);
    expect(outlines).toBeGreaterThan(0);
  });
});
