import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { viewFiles } from '../../pipelines/recognise/file_view.ts';
import type { Table } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { readPart } from './conformance.ts';
import { feature, squareAt } from './feature_writers.ts';
import { type ReleaseFolder, releaseFolder } from './release_folder.ts';

const PAGE = new URL('../../docs/field_maps.md', import.meta.url);

/** What a council of that shape delivers, and the records that its map gives. */
const DELIVERIES: Record<string, { rows: Record<string, unknown>[]; records: Record<string, unknown>[] }> = {
  cadastre_council: {
    rows: [
      { LOT_DESC: 'Lot 3 on RP602276', FEATURE: 'Lot' },
      { LOT_DESC: 'Lot A on SP1200', FEATURE: 'Lot' },
      { LOT_DESC: 'Lot B on SP1200', FEATURE: 'Easement in gross' },
      { LOT_DESC: 'Road', FEATURE: 'Road' },
    ],
    records: [{ lot_plan: '3RP602276' }, { lot_plan: 'ASP1200' }],
  },
  flood_council: {
    rows: [
      { FID: 1, FLOOD_CLASS: 'High hazard', STATUS: 'Current' },
      { FID: 2, FLOOD_CLASS: 'Low hazard', STATUS: 'Withdrawn' },
      { FID: 3, FLOOD_CLASS: 'Not studied', STATUS: 'Current' },
    ],
    records: [
      { name: 'High hazard', severity: 4, is_assessed: true },
      { name: 'Not studied', severity: null, is_assessed: false },
    ],
  },
  zoning_council: {
    rows: [
      { FID: 1, SCHEME_CODE: 'LDR', SCHEME_ZONE: 'Low density residential', STATUS: 'In force' },
      { FID: 2, SCHEME_CODE: 'OS', SCHEME_ZONE: 'Open space', STATUS: 'Proposed' },
    ],
    records: [{ code: 'LDR', zone_id: 'QLD:1', category: 'residential_low' }],
  },
};

describe('the worked examples of docs/field_maps.md', () => {
  let folder: ReleaseFolder;
  let examples: Record<string, { adapter: string; path: string; options: Record<string, unknown> }>;
  beforeAll(async () => {
    folder = await releaseFolder();
    const page = await readFile(PAGE, 'utf8');
    const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => parse(yaml!) as object);
    examples = Object.assign({}, ...blocks);
    for (const [id, { path }] of Object.entries(examples)) {
      const features = DELIVERIES[id]!.rows.map((properties, i) =>
        feature(properties, squareAt(150.51 + i * 0.001, -23.39, 0.001)),
      );
      const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::7844' } };
      await folder.write(path, JSON.stringify({ type: 'FeatureCollection', crs, features }));
    }
  });
  afterAll(() => folder.remove());

  it('are three', () => expect(Object.keys(examples)).toEqual(Object.keys(DELIVERIES)));

  it.each(Object.keys(DELIVERIES))('%s is read by its map', async (id) => {
    const { adapter: name, path, options } = examples[id]!;
    const adapter = adapterNamed(name);
    const files = [{ path: `${folder.path}/${path}`, bytes: 0, sha256: '' }];
    const { release, parts } = await adapter.discover({ id, files, options, crs: null, release: null });
    const { rows } = await readPart(adapter, release, parts[0]!);
    const main = rows.get(adapter.tables[0] as Table)!;
    expect(main).toMatchObject(DELIVERIES[id]!.records);
    expect(main).toHaveLength(DELIVERIES[id]!.records.length);
  });

  it('are near what inspect shows and proposes of such files', async () => {
    const paths = Object.values(examples).map(({ path }) => `${folder.path}/${path}`);
    const views = await viewFiles(paths);
    const byFile = new Map(views.map((view) => [view.file.split('/').at(-1), view]));
    const flood = byFile.get('flood.geojson')!;
    expect(flood).toMatchObject({ looked: 3, crs: 'urn:ogc:def:crs:EPSG::7844' });
    expect(flood.columns).toContainEqual({
      name: 'FLOOD_CLASS',
      filled: 3,
      distinct: 3,
      values: ['High hazard', 'Low hazard', 'Not studied'],
      is_row_number: false,
    });
  });

  it('propose a map that reads plan and lot in one column', async () => {
    const lots = ['RP602276/3', 'RP602276/4', 'SP1200/A'].map((lot, i) =>
      feature({ OBJECTID: i + 1, LOTPLAN_TX: lot }, squareAt(150.51 + i * 0.001, -23.39, 0.001)),
    );
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::7844' } };
    const path = await folder.write(
      'turned/lots.geojson',
      JSON.stringify({ type: 'FeatureCollection', crs, features: lots }),
    );
    const [view] = await viewFiles([path]);
    const proposed = parse(view!.proposed!) as { adapter: string; options: Record<string, unknown> };
    expect(proposed.adapter).toBe('cadastre');
    const adapter = adapterNamed('cadastre');
    const options = { ...proposed.options, state: 'QLD' };
    const files = [{ path, bytes: 0, sha256: '' }];
    const { release, parts } = await adapter.discover({ id: 'x', files, options, crs: null, release: null });
    const { rows } = await readPart(adapter, release, parts[0]!);
    expect(rows.get(adapter.tables[0] as Table)).toMatchObject([
      // OBJECTID numbers the rows, so it is no identifier.
      { parcel_id: 'QLD:RP602276/3', lot_plan: '3RP602276' },
      { parcel_id: 'QLD:RP602276/4', lot_plan: '4RP602276' },
      { parcel_id: 'QLD:SP1200/A', lot_plan: 'ASP1200' },
    ]);
  });
});
