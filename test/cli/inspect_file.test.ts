import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GDA94_PRJ, square, WGS84_PRJ, writeShapefile } from '../sources/shapefile_writer.ts';
import { openFolder, pipeline } from './fixture.ts';

const folder = openFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `inspect` says of a layer of one lot. */
async function said(name: string, prj: string, value = 'Lot'): Promise<string> {
  await writeShapefile(join(folder, name), {
    fields: [['KIND', 'C', 20]],
    rows: [[value]],
    shapeType: 5,
    shapes: [[square(145, -37.8, 0.001)]],
    prj,
  });
  const { code, stdout } = await pipeline(['inspect', join(folder, `${name}.shp`)]);
  expect(code).toBe(0);
  return stdout;
}

it('warns of a datum that is not Australian, such as WGS 84', async () => {
  expect(await said('wgs84', WGS84_PRJ)).toContain('not an Australian datum: set crs of the dataset');
  const shifted = GDA94_PRJ.replace(/(SPHEROID\[[^\]]*\])/, '$1,TOWGS84[0,0,0,0,0,0,0]');
  expect(shifted).not.toBe(GDA94_PRJ);
  expect(await said('gda94', shifted)).not.toContain('not an Australian datum');
});

it('escapes control characters of values', async () => {
  const text = await said('hostile', GDA94_PRJ, '\u001b[31mred');
  expect(text).toContain('\\u001b[31mred');
  expect(text).not.toContain('\u001b');
});
