import { describe, expect, it } from 'vitest';
import { openGeoJson } from '../../../../sources/formats/vector/geojson.ts';
import { releaseFolder } from '../../release_folder.ts';

const ring = (x: number, size: number) => [
  [x, -37],
  [x, -37 + size],
  [x + size, -37 + size],
  [x + size, -37],
  [x, -37],
];

async function open(set: unknown) {
  const folder = await releaseFolder();
  try {
    const path = await folder.write('a.json', JSON.stringify(set));
    const file = await openGeoJson({ format: 'geojson', path, member: null, layer: null, file: 'a.json' });
    const shapes = [];
    for await (const batch of file.features(() => {}, file.fields))
      for (let row = 0; row < batch.count; row++) shapes.push(batch.shape(row));
    return { file, shapes };
  } finally {
    await folder.remove();
  }
}

describe('a feature set of Esri JSON', () => {
  it('has its attributes, rings and the latest number of its CRS', async () => {
    const { file, shapes } = await open({
      geometryType: 'esriGeometryPolygon',
      spatialReference: { wkid: 102100, latestWkid: 3857 },
      features: [
        { attributes: { A: 1 }, geometry: { rings: [ring(145, 1), ring(147, 0.5)] } },
        { attributes: { A: 2 }, geometry: null },
        { attributes: { A: 3 }, geometry: { curveRings: [] } },
      ],
    });
    expect(file.crs).toBe('EPSG:3857');
    expect(file.fields.map(({ name }) => name)).toEqual(['A']);
    expect(shapes[0]).toMatchObject({ kind: 'polygon', geometry: { polygonEnds: [1, 2] } });
    expect(shapes[1]).toEqual({ kind: 'none' });
    expect(shapes[2]).toMatchObject({ reject: { code: 'unsupported_geometry' } });
  });

  it('has no CRS if it states none, and reports that it is incomplete', async () => {
    const features = [{ attributes: { A: 1 }, geometry: { x: 145, y: -37 } }];
    const { file, shapes } = await open({ features, exceededTransferLimit: true });
    expect(file.crs).toBeNull();
    expect(shapes[0]).toMatchObject({ kind: 'point' });
    expect(file.incomplete?.()).toContain('exceededTransferLimit');
  });
});
