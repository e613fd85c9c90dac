import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { feature, squareAt } from '../../sources/feature_writers.ts';
import { refreshSample } from '../sample_run.ts';

let dir: string;
let database: TestDatabase;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'registers-'));
  database = await createDatabase();
});
afterEach(async () => {
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

const write = (file: string, rows: readonly Record<string, unknown>[], east: number): Promise<void> =>
  writeFile(
    join(dir, file),
    JSON.stringify({
      type: 'FeatureCollection',
      features: rows.map((row, i) => feature(row, squareAt(149.1 + east + i / 100, -35.3, 0.001))),
    }),
  );
const dataset = (path: string | string[], options: object) => ({
  adapter: 'hazards',
  licence: 'generated',
  path,
  options: { layer: 'heritage', coverage: 'none', ...options },
});
const refresh = async (datasets: object) => {
  await writeFile(join(dir, 'config.yaml'), stringify({ datasets }));
  const { error } = await refreshSample(database, dir);
  expect(error).toBeNull();
  return (
    await database.query<{ feature_id: string; hazard_class: string; name: string }>(
      'SELECT DISTINCT feature_id, hazard_class, name FROM record.hazard_piece ORDER BY 1',
    )
  ).map(({ feature_id, hazard_class, name }) => [feature_id, hazard_class, name]);
};

const WA = { state: 'WA' };
const WA_ROWS = [
  ['WA:heritage:7', 'State Register Place', 'Town hall'],
  ['WA:heritage:heritageagreements/7', 'Heritage agreement', 'Town hall and garden'],
  ['WA:heritage:local_heritage_lists/7', 'Local heritage list', 'Mill'],
];
const writeWa = async (): Promise<void> => {
  await write(
    'State_Register_DPLH006_3.geojson',
    [{ place_no: 7, place_name: 'Town hall', her_record: 'State Register Place' }],
    0,
  );
  await write('HeritageAgreements_4.geojson', [{ place_no: 7, place_name: 'Town hall and garden' }], 0.02);
  await write('Local_Heritage_Lists_5.geojson', [{ place_no: 7, place_name: 'Mill' }], 0.04);
};

it('registers of one dataset share numbers', async () => {
  await writeWa();
  expect(await refresh({ heritage: dataset('*.geojson', WA) })).toEqual(WA_ROWS);
});

it('registers of several datasets have the same keys as those of one', async () => {
  await writeWa();
  const rows = await refresh({
    one: dataset('State_*.geojson', WA),
    two: dataset('HeritageAgreements_*.geojson', WA),
    three: dataset('Local_*.geojson', WA),
  });
  expect(rows).toEqual(WA_ROWS);
});

it('a field map of one’s own names the column with the kind; each file has numbers of its own', async () => {
  await write('places.geojson', [{ id: 1, title: 'Mill', kind: 'State' }], 0);
  await write('trees.geojson', [{ id: 1, title: 'Fig', kind: 'Tree' }], 0.02);
  const field_map = { label: 'Register', name: 'title', feature_id: 'id', listing: 'kind' };
  expect(await refresh({ own: dataset('*.geojson', { state: 'ACT', field_map }) })).toEqual([
    ['ACT:heritage:own/places/1', 'State', 'Mill'],
    ['ACT:heritage:own/trees/1', 'Tree', 'Fig'],
  ]);
});

it('a single file without a kind in its name keeps the keys of the publisher', async () => {
  await write('heritage.geojson', [{ place_id: 5, placename: 'Old mill' }], 0);
  expect(await refresh({ own: dataset('*.geojson', { state: 'QLD' }) })).toEqual([
    ['QLD:heritage:5', 'Heritage place', 'Old mill'],
  ]);
});
