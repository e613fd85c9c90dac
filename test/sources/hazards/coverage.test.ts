import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverageAreaRecord, coveragePieceRecord } from '../../../schema/records/coverage.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { readAll, writePolygons } from './read_hazards.ts';

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

describe('coverage', () => {
  const outline = (...features: object[]) =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: features.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
    });
  const box = (x: number, y: number, size: number) => ({
    type: 'Polygon',
    coordinates: [
      [
        [x, y],
        [x + size, y],
        [x + size, y + size],
        [x, y + size],
        [x, y],
      ],
    ],
  });
  const flood = async (coverage: unknown) => {
    await writePolygons(folder, 'PLAN_OVERLAY', ['ZONE_CODE'], [['LSIO']]);
    const options = { state: 'VIC', layer: 'flood', ...(coverage === undefined ? {} : { coverage }) };
    return folder.dataset({ options });
  };

  it('is the whole state if the map declares that', async () => {
    const { areas, parts } = await readAll(await flood(undefined));
    expect(parts.map(({ id }) => id)).toEqual(['PLAN_OVERLAY', '(coverage)']);
    expect(areas).toEqual([
      {
        load_id: 0,
        source_no: 1,
        dataset: 'fixture',
        theme: 'flood',
        state: 'VIC',
        area: '*',
      },
    ]);
  });

  it('is empty with the option none', async () => {
    const { areas, outlines, release, parts } = await readAll(await flood('none'));
    expect([areas, outlines, release.notes, parts.length]).toEqual([[], [], [], 1]);
  });

  it('is a list of councils, each once', async () => {
    const { areas, accounts } = await readAll(await flood({ lga: ['27350', '24600', '27350'] }));
    expect(areas.map(({ state, area }) => `${state} ${area}`)).toEqual(['VIC 27350', 'VIC 24600']);
    expect(accounts.at(-1)).toMatchObject({ table: coverageAreaRecord.name, rows_in: 2, records: 2 });
  });

  it('is a box cut into cells', async () => {
    const { outlines } = await readAll(await flood({ bbox: [144.97, -37.83, 145.03, -37.79] }));
    expect(outlines).toHaveLength(4);
    expect(outlines.every((row) => row.outline_no === 1 && row.theme === 'flood')).toBe(true);
    const inside = (lon: number, lat: number) =>
      outlines.some((row) => pointInMultiPolygon(lon, lat, decodeWkb(row.geom)));
    expect([inside(145, -37.81), inside(145.04, -37.81)]).toEqual([true, false]);
  });

  it('is the polygons of a file, which holds no features of the dataset', async () => {
    await folder.write(
      'outline.geojson',
      outline(box(144.9, -37.9, 0.2), { type: 'Point', coordinates: [145, -37] }, box(147, -37, 0.01)),
    );
    const { outlines, parts, rejects, accounts } = await readAll(await flood({ file: 'outline.geojson' }));
    expect(parts.map(({ id }) => id)).toEqual(['PLAN_OVERLAY', '(coverage)']);
    expect(new Set(outlines.map((row) => row.outline_no))).toEqual(new Set([1, 3]));
    expect(rejects).toMatchObject([{ code: 'wrong_geometry', file: 'outline.geojson', at: 'feature 2' }]);
    expect(accounts.at(-1)).toMatchObject({
      table: coveragePieceRecord.name,
      rows_in: 3,
      records: 2,
      rejects: 1,
    });
  });

  it('takes the files that belong to a shapefile with it', async () => {
    await writePolygons(folder, 'extent', ['A'], [['x']]);
    const { outlines, parts } = await readAll(await flood({ file: 'extent.shp' }));
    expect(parts.map(({ id }) => id)).toEqual(['PLAN_OVERLAY', '(coverage)']);
    expect(outlines).toHaveLength(1);
  });
});
