import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSettings } from '../../../pipelines/ingest/configured.ts';
import { checkReadable } from '../../../pipelines/ingest/readable.ts';
import type { DatasetSettings } from '../../../schema/config.ts';
import { adapterNamed } from '../../../sources/index.ts';
import { type ReleaseFolder, releaseFolder } from '../../sources/release_folder.ts';

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const square = (x: number, y: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, y],
      [x + 0.001, y],
      [x + 0.001, y + 0.001],
      [x, y],
    ],
  ],
});

/** A file of one feature, and what the check says of a dataset that reads it. */
async function check(
  adapter: string,
  name: string,
  properties: object,
  options: object,
  more: { geometry?: object; crs?: string; acceptsNothing?: boolean } = {},
) {
  const geometry = more.geometry ?? square(145, -37.8);
  const features = [{ type: 'Feature', properties, geometry }];
  const path = await folder.write(name, JSON.stringify({ type: 'FeatureCollection', features }));
  const dataset = {
    id: 'tried',
    files: [{ path, bytes: 0, sha256: '' }],
    release: null,
    crs: more.crs ?? null,
    options: { ...options },
  };
  return checkReadable(adapterNamed(adapter), dataset, more.acceptsNothing ?? false);
}

const ZONE = { ZONE_CODE: 'GRZ1', ZONE_DESC: 'General', ZONE_STATUS: 'g' };

describe('checks of a delivery before it is loaded', () => {
  it('pass a correct delivery', async () => {
    const { parts } = await check('zoning', 'zones.geojson', ZONE, { state: 'VIC' });
    expect(parts.map(({ id }) => id)).toContain('zones');
  });

  it('refuse a CRS that puts every shape elsewhere', async () => {
    const wrong = check('zoning', 'zones.geojson', ZONE, { state: 'VIC' }, { crs: 'EPSG:7855' });
    await expect(wrong).rejects.toMatchObject({
      code: 'all_rejected',
      message: expect.stringContaining('(1 outside_australia)'),
    });
    const accepted = { crs: 'EPSG:7855', acceptsNothing: true };
    await expect(check('zoning', 'zones.geojson', ZONE, { state: 'VIC' }, accepted)).resolves.toBeDefined();
  });

  it.each([
    ['zoning', { state: 'VIC' }],
    ['overlays', { state: 'VIC' }],
    ['hazards', { state: 'VIC', layer: 'flood' }],
    ['cadastre', { state: 'VIC' }],
  ])('refuse a missing column of %s', async (adapter, options) => {
    await expect(check(adapter, 'layer.geojson', { NAME: 'x' }, options)).rejects.toMatchObject({
      code: 'missing_column',
    });
  });

  it('refuse stops without a mode', async () => {
    const point = { geometry: { type: 'Point', coordinates: [145, -37.8] } };
    const stops = check('stops', 'stops.geojson', { STOP_ID: 1, STOP_NAME: 'A' }, {}, point);
    await expect(stops).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('mode'),
    });
  });

  it('refuse an unknown CRS, by the configuration alone', () => {
    const settings = { adapter: 'zoning', release: null, options: { state: 'VIC' } };
    const of = (crs: string): DatasetSettings => ({ ...settings, crs }) as unknown as DatasetSettings;
    expect(() => checkSettings('zoning_vic', of('EPSG:99999'))).toThrow(
      'datasets.zoning_vic.crs: EPSG:99999',
    );
    expect(() => checkSettings('zoning_vic', of('EPSG:7855'))).not.toThrow();
  });
});
