import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { open as openReference } from 'shapefile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReleaseFolder, releaseFolder, YARRA } from '../../release_folder.ts';
import { type FieldSpec, type ShapeSpec, square, writeShapefile } from '../../shapefile_writer.ts';
import { readAll } from './shapefile_reading.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);

const NAME: FieldSpec[] = [['NAME', 'C', 20]];

describe('the reference reader agrees', () => {
  async function reference(
    path: string,
    encoding: string,
  ): Promise<{ rings: number[][] | null; properties: Record<string, unknown> }[]> {
    const source = await openReference(path, undefined, { encoding });
    const features = [];
    for (;;) {
      const { done, value } = await source.read();
      if (done) return features;
      features.push({ rings: referenceRings(value.geometry), properties: value.properties ?? {} });
    }
  }
  function referenceRings(geometry: GeoJSON.Geometry | null): number[][] | null {
    if (geometry === null) return null;
    if (geometry.type === 'Point') return [geometry.coordinates];
    if (geometry.type === 'Polygon') return geometry.coordinates.map((ring) => ring.flat());
    if (geometry.type === 'MultiPolygon') return geometry.coordinates.flat().map((ring) => ring.flat());
    throw new Error(geometry.type);
  }
  /** The reference groups rings into polygons: compared as a set. */
  const asSet = (rings: number[][] | null) => rings?.map((ring) => ring.join(' ')).sort() ?? null;
  /** It gives dates as local midnights, a blank date as one of 1899, and blank text as null. */
  const plain = (value: unknown) => {
    if (typeof value === 'string') return value.trim() || null;
    if (!(value instanceof Date)) return value;
    const [month, day] = [value.getMonth() + 1, value.getDate()].map((part) => String(part).padStart(2, '0'));
    return value.getFullYear() === 1899 ? null : `${value.getFullYear()}-${month}-${day}`;
  };
  const plainRow = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]));

  async function expectSame(path: string, encoding = 'utf-8'): Promise<void> {
    const wanted = await reference(path, encoding);
    const features = await readAll(path);
    expect(features).toHaveLength(wanted.length);
    for (const [i, feature] of features.entries()) {
      expect(asSet(feature.rings)).toEqual(asSet(wanted[i]!.rings));
      expect(plainRow(feature.properties)).toEqual(plainRow(wanted[i]!.properties));
    }
  }

  const files = [
    'asgs/SA1_2021_derived_GDA2020',
    'asgs/SA2_2021_AUST_GDA94',
    'asgs/SAL_2021_derived_GDA2020',
    'planning/VMPLAN/PLAN_ZONE',
    'planning/VMPLAN/PLAN_OVERLAY',
    'transport/ptv_stops/PTV_METRO_TRAM_STOP',
    'cadastre/yarra_parcels',
  ];
  const present = existsSync(YARRA);
  if (!present) console.warn('City of Yarra data not found: the reader is not compared on real files.');
  it.skipIf(!present).each(files)('on %s', (file) => expectSame(join(YARRA, `${file}.shp`)));

  it('on random polygons', async () => {
    const coordinate = fc.double({ min: -180, max: 180, noNaN: true });
    // The reference turns rings that cross or overlap about, so each ring is a square of its own.
    const shape = fc.option(
      fc
        .array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 5 })
        .map((places) => [...new Set(places)].map((place) => square(place * 2, -place, 1))),
    );
    const row = fc.record({
      shape,
      name: fc.string({ maxLength: 20, unit: fc.constantFrom(..."abcXYZ 019'-") }),
      number: coordinate,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
        await writeShapefile(at('random'), {
          shapeType: 5,
          fields: [...NAME, ['NUM', 'N', 20, 6]],
          rows: rows.map(({ name, number }) => [name.trim(), number.toFixed(6)]),
          shapes: rows.map((each) => each.shape as ShapeSpec),
        });
        await expectSame(at('random.shp'), 'windows-1252');
      }),
      { seed: 11, numRuns: 60 },
    );
  });
});
