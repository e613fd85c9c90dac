import { adapterNamed } from '../../sources/index.ts';
import { type DatasetResult, readDataset } from './read_dataset.ts';
import type { ReleaseFolder } from './release_folder.ts';

/** Columns, words and oddities that publishers deliver, in rows that are made up. */
export type PublishedRow = Readonly<Record<string, unknown>>;
type Shape = (i: number) => object;

/** A square of its own for each row. */
export const square: Shape = (i) => {
  const [x, y] = [145 + i * 0.002, -33];
  const ring = [
    [x, y],
    [x + 0.001, y],
    [x + 0.001, y + 0.001],
    [x, y + 0.001],
    [x, y],
  ];
  return { type: 'Polygon', coordinates: [ring] };
};

export const point: Shape = (i) => ({ type: 'Point', coordinates: [145 + i * 0.002, -33] });

/** Reads rows, each with a shape of its own, as a publisher's GeoJSON in a folder. */
export async function readRows(
  folder: ReleaseFolder,
  adapter: string,
  options: PublishedRow,
  rows: readonly PublishedRow[],
  shape: Shape = square,
): Promise<DatasetResult> {
  const features = rows.map((properties, i) => ({ type: 'Feature', properties, geometry: shape(i) }));
  await folder.write('layer.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
  return readDataset(adapterNamed(adapter), await folder.dataset({ crs: 'EPSG:7844', options }));
}
