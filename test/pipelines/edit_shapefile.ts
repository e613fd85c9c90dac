import { readFile, rename } from 'node:fs/promises';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import { open } from 'shapefile';
import { parseDbfHeader } from '../../sources/formats/vector/dbf.ts';
import type { DbfValue } from '../../tools/sample/formats/dbf_writer.ts';
import { type Rings, ShapefileWriter } from '../../tools/sample/formats/shapefile_writer.ts';

/** A feature of a shapefile of polygons: its shape in the CRS of the file, null where it has none, and its values by field. */
export type PolygonFeature = Feature<Polygon | MultiPolygon | null, Record<string, unknown>>;

function ringsOf(geometry: PolygonFeature['geometry']): Rings | null {
  if (geometry === null) return null;
  const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const rings = [...parts.map((part) => part[0]!), ...parts.flatMap((part) => part.slice(1))];
  let end = 0;
  const ringEnds = rings.map((ring) => {
    end += ring.length;
    return end;
  });
  return { coords: Float64Array.from(rings.flat(2)), ringEnds, holes: rings.length - parts.length };
}

/** A value as it is read, as it is written. */
const writtenValue = (value: unknown): DbfValue =>
  value instanceof Date
    ? value.toISOString().slice(0, 10).replaceAll('-', '')
    : ((value ?? null) as DbfValue);

/** Replaces each feature of a shapefile of polygons, the i-th in the file, by those that `edit` gives for it; null is the end of the file. */
export async function editShapefile(
  file: string,
  edit: (feature: PolygonFeature | null, i: number) => readonly PolygonFeature[],
): Promise<void> {
  const path = file.slice(0, -'.shp'.length);
  const { fields } = parseDbfHeader(await readFile(`${path}.dbf`), file);
  const source = await open(`${path}.shp`, `${path}.dbf`, { encoding: 'utf-8' });
  const out = new ShapefileWriter(
    `${path}_new`,
    fields.map((field) => ({ ...field, type: field.type as 'C' | 'N' | 'D' })),
    await readFile(`${path}.prj`, 'utf8'),
  );
  for (let i = 0; ; i++) {
    const { done, value } = await source.read();
    for (const { geometry, properties } of edit(done ? null : (value as PolygonFeature), i))
      out.write(
        ringsOf(geometry),
        fields.map(({ name }) => writtenValue(properties[name])),
      );
    if (done) break;
  }
  out.close();
  for (const end of ['shp', 'shx', 'dbf', 'prj', 'cpg']) await rename(`${path}_new.${end}`, `${path}.${end}`);
}
