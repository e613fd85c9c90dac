import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'shapefile';
import { afterAll, describe, expect, it } from 'vitest';
import { SAMPLE_CRS } from '../../../tools/sample/crs.ts';
import { number, text } from '../../../tools/sample/formats/dbf_writer.ts';
import { DelimitedWriter } from '../../../tools/sample/formats/delimited_writer.ts';
import { ShapefileWriter } from '../../../tools/sample/formats/shapefile_writer.ts';
import { writeZip } from '../../../tools/sample/formats/zip_writer.ts';
import { recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';

const folder = mkdtempSync(join(tmpdir(), 'sample-formats-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('shapefile writer', () => {
  it('writes what the reference reader reads back: holes, null shapes, text and numbers', async () => {
    const path = join(folder, 'shapes');
    const writer = new ShapefileWriter(path, [text('NAME', 12), number('AREA', 10, 2)], 'prj');
    const shell = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0];
    const hole = [4, 4, 4, 6, 6, 6, 6, 4, 4, 4];
    writer.write({ coords: Float64Array.from([...shell, ...hole]), ringEnds: [5, 10], holes: 1 }, [
      'Waṉpi',
      96,
    ]);
    writer.write(null, ['nowhere', null]);
    expect(writer.count).toBe(2);
    writer.close();
    const source = await open(`${path}.shp`, `${path}.dbf`, { encoding: 'utf-8' });
    expect(source.bbox).toEqual([0, 0, 10, 10]);
    const first = (await source.read()).value;
    expect(first.properties).toEqual({ NAME: 'Waṉpi', AREA: 96 });
    expect(first.geometry).toMatchObject({ type: 'Polygon' });
    const rings = (first.geometry as GeoJSON.Polygon).coordinates;
    expect(rings.map((ring) => ring.length)).toEqual([5, 5]);
    const second = (await source.read()).value;
    expect(second).toMatchObject({ geometry: null, properties: { NAME: 'nowhere', AREA: null } });
    expect((await source.read()).done).toBe(true);
    expect(readFileSync(`${path}.shx`).length).toBe(100 + 2 * 8);
  });
});

describe('zip writer', () => {
  it('gives the same bytes for the same members', async () => {
    const from = join(folder, 'member');
    const writer = new DelimitedWriter(from, 'A|B', '\r\n');
    writer.line('1|2');
    writer.close();
    expect(readFileSync(from, 'utf8')).toBe('A|B\r\n1|2\r\n');
    const zips = ['a.zip', 'b.zip'].map((name) => join(folder, name));
    for (const zip of zips) {
      await writeZip(zip, [{ name: 'x/Y_psv.psv', from }]);
      writeFileSync(from, readFileSync(from));
    }
    expect(readFileSync(zips[0]!).equals(readFileSync(zips[1]!))).toBe(true);
  });
});

describe('coordinate systems of the sample', () => {
  it.each(Object.entries(SAMPLE_CRS))(
    '%s is recognised by its .prj and returns to where it came from',
    (_, crs) => {
      const recognised = recogniseCrs(crs.prj, 'sample.prj');
      expect(recognised.id).toBe(crs.id);
      const place = crs.id === 'EPSG:7850' ? [115.86, -31.95] : [147.33, -42.88];
      const coords = Float64Array.from(place);
      crs.fromGda2020(coords);
      if (crs.id !== 'EPSG:7844') expect(coords[0]).not.toBe(place[0]);
      toGda2020(recognised)(coords);
      expect(Math.abs(coords[0]! - place[0]!)).toBeLessThan(1e-9);
      expect(Math.abs(coords[1]! - place[1]!)).toBeLessThan(1e-9);
    },
  );
});
