import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { placePieceRecord } from '../../schema/records/place.ts';
import { regionRecord } from '../../schema/records/region.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import type { Table } from '../../schema/table.ts';
import type { DatasetConfig } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { hasSharedData, sharedPath } from '../shared_data.ts';
import { readDataset } from './read_dataset.ts';
import { datasetOf } from './release_folder.ts';

/** Reads a case as its configuration states; the README of the case says what is right. */
async function readCase(name: string) {
  const { datasets } = parse(readFileSync(sharedPath(`cases/${name}/pipeline.yaml`), 'utf8')) as {
    datasets: Record<string, { adapter: string } & Partial<DatasetConfig>>;
  };
  const [[id, { adapter, options = {} }]] = Object.entries(datasets) as [[string, (typeof datasets)[string]]];
  const dataset = await datasetOf(
    sharedPath(`cases/${name}`),
    { id, options },
    /\/(?!README$|pipeline\.yaml$)[^/]+$/,
  );
  return readDataset(adapterNamed(adapter), dataset);
}

const columnOf = (result: Awaited<ReturnType<typeof readCase>>, table: Table, column: string) =>
  result.rowsOf(table).map((row) => (row as Record<string, unknown>)[column]);

const OVERTURE = [
  'Example Grocer',
  'Example Asian Grocer',
  'Example Park',
  'Example Brasserie',
  'Example Station',
  'Resting Cafe',
  'Basic Only Cafe',
];

/** What the README of each case says is right: values of a column, counts of rejects by code. */
const CASES: readonly [name: string, table: Table, column: string, values: unknown[], rejects: string[]][] = [
  ['schools_footnotes', schoolRecord, 'state', ['VIC', 'NT', 'NT'], []],
  ['suburb_slivers', regionRecord, 'level', Array(20).fill('SAL'), []],
  ['gtfs_no_boarding', stopRecord, 'label', ['Stop 1 Example Rd', 'Stop 3 Example Rd'], []],
  ['gtfs_flex', stopRecord, 'label', [1, 2, 3, 4, 5, 6].map((n) => `Stop ${n} Example Rd`), []],
  ['psi_archive_units', marketEventRecord, 'price', [145_000, 152_000], []],
  ['psi_archive_no_head', marketEventRecord, 'price', [75_000, 120_000], []],
  [
    'psi_dates',
    marketEventRecord,
    'event_date',
    ['2025-12-15', '2025-12-20', '2026-01-05', '2025-12-15', '2025-12-15'],
    ['bad_date', 'future_date', 'bad_date'],
  ],
  ['osm_inner_own_tags', placePieceRecord, 'name', ['Ring Park', 'Inner Playground'], []],
  ['osm_locations_on_ways', placePieceRecord, 'name', ['Relation Park', 'Way Park', 'Example Market'], []],
  ['overture_2026_09', placePieceRecord, 'name', OVERTURE, []],
  ['overture_no_geo', placePieceRecord, 'name', OVERTURE, []],
  ['geoparquet_crs_no_id', hazardPieceRecord, 'severity', [3, 1, 1], []],
  ['gpkg_curves', hazardPieceRecord, 'severity', [1, 1], ['unsupported_geometry', 'unsupported_geometry']],
  ['esri_json', hazardPieceRecord, 'severity', [3], ['unsupported_geometry']],
];

describe.skipIf(!hasSharedData('cases.test.ts'))('small real inputs', () => {
  it.each(CASES)('%s', async (name, table, column, values, rejects) => {
    const result = await readCase(name);
    expect(columnOf(result, table, column)).toEqual(values);
    expect(result.rejects.map(({ code }) => code)).toEqual(rejects);
  });

  it('asgs_main_gpkg', async () => {
    const result = await readCase('asgs_main_gpkg');
    const levels = new Set(columnOf(result, regionRecord, 'level'));
    expect([...levels].sort()).toEqual(['GCCSA', 'SA2', 'SA3', 'SA4', 'STE']);
    expect(result.notes.join()).toContain('has Australia as a whole');
  });
});
