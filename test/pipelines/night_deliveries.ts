import { createReadStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { intersect, union } from '@turf/turf';
import { parse as parseCsv } from 'csv-parse';
import type { Feature, Polygon } from 'geojson';
import { editRows, editZip } from './edit_release.ts';
import { editShapefile, type PolygonFeature } from './edit_shapefile.ts';

/** Columns that say which parcel it is, by state; the part that a split adds has others. */
const IDS: Readonly<Record<string, readonly string[]>> = { vic: ['PARCEL_PFI', 'PARCEL_SPI'] };

/** One ring, closed, of a polygon without holes; null: it has holes or several parts. */
const ringOf = ({ geometry }: Pick<PolygonFeature, 'geometry'>): [number, number][] | null => {
  return geometry?.type === 'Polygon' && geometry.coordinates.length === 1
    ? (geometry.coordinates[0] as [number, number][])
    : null;
};
const polygon = (ring: [number, number][]): Feature<Polygon> => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates: [ring] },
});

/** The western and the eastern half. */
function halves(ring: [number, number][]): [number, number][][] {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const middle = (west + east) / 2;
  const box = (from: number, to: number) =>
    polygon([
      [from, south],
      [to, south],
      [to, north],
      [from, north],
      [from, south],
    ]);
  return [box(west, middle), box(middle, east)].flatMap((half) => {
    const part = intersect({ type: 'FeatureCollection', features: [polygon(ring), half] });
    const found = part === null ? null : ringOf(part);
    return found === null ? [] : [found];
  });
}

/** Splits, merges and moves every `step`th parcel of the shapefile of a state in turn; gives how many there were of each. */
export async function changeCadastre(
  folder: string,
  state: string,
  step = 1000,
): Promise<Record<string, number>> {
  const done = { split: 0, merged: 0, moved: 0 };
  const withRing = (feature: PolygonFeature, ring: [number, number][]): PolygonFeature => ({
    ...feature,
    geometry: polygon(ring).geometry,
  });
  /** Waits for the next parcel, to become one with it. */
  let held: PolygonFeature | null = null;
  const file = (await readdir(folder)).find((each) => each.endsWith('.shp'))!;
  await editShapefile(join(folder, file), (feature, i) => {
    if (feature === null) return held === null ? [] : [held];
    const ring = ringOf(feature);
    if (ring === null) return [feature];
    if (held !== null) {
      const first: PolygonFeature = held;
      held = null;
      const both = union({ type: 'FeatureCollection', features: [polygon(ringOf(first)!), polygon(ring)] });
      const one = both === null ? null : ringOf(both);
      if (one === null) return [first, feature];
      done.merged++;
      return [withRing(first, one)];
    }
    const at = Math.floor(step / 2);
    const kind = i % step === at ? ((i - at) / step) % 3 : null;
    if (kind === 0) {
      done.split++;
      return halves(ring).map((part, n) => {
        const { properties } = feature;
        const ids = IDS[state]!.map((id) => [
          id,
          n === 0 ? properties[id] : `9${String(properties[id]).slice(1)}`,
        ]);
        return { ...withRing(feature, part), properties: { ...properties, ...Object.fromEntries(ids) } };
      });
    }
    if (kind === 1) {
      held = feature;
      return [];
    }
    if (kind !== 2) return [feature];
    done.moved++;
    return [
      withRing(
        feature,
        ring.map(([x, y]) => [x + 5e-6, y]),
      ),
    ];
  });
  return done;
}

/** Changes 0.3 % of the addresses: a building name, a point 5 m on, or the address is gone. */
export async function changeAddresses(folder: string): Promise<void> {
  const zip = join(folder, (await readdir(folder)).find((each) => each.endsWith('.zip'))!);
  /** The last three digits of the identifier of a row. */
  const kindOf = (row: readonly string[], columns: readonly string[]): number =>
    Number(row[columns.indexOf('ADDRESS_DETAIL_PID')]!.replaceAll(/\D/g, '')) % 1000;
  await editZip(zip, /_ADDRESS_DETAIL_psv\.psv$/i, (text) =>
    editRows(text, (row, columns) => {
      const kind = kindOf(row, columns);
      if (kind === 2) row[columns.indexOf('BUILDING_NAME')] = 'OTHER HOUSE';
      return kind === 1 ? null : row;
    }),
  );
  await editZip(zip, /_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/i, (text) =>
    editRows(text, (row, columns) => {
      const kind = kindOf(row, columns);
      const at = columns.indexOf('LONGITUDE');
      if (kind === 3 && row[at] !== '') row[at] = (Number(row[at]) + 5e-5).toFixed(8);
      return kind === 1 ? null : row;
    }),
  );
}

/** Delivers a listing of every `step`th home of a sample country, of one day. More bedrooms than homes that sold have take it out of the evidence. */
export async function deliverListings(
  dir: string,
  step: number,
  date = '2026-06-30',
  bedrooms?: number,
): Promise<void> {
  const folder = join(dir, 'listings');
  await mkdir(folder, { recursive: true });
  const lines = [
    'source,source_id,event_type,channel,event_date,address,suburb,state,postcode,price,bedrooms,description',
  ];
  const rows = createReadStream(join(dir, 'truth/properties.csv')).pipe(parseCsv({ columns: true }));
  let i = 0;
  for await (const home of rows as AsyncIterable<Record<string, string>>) {
    if (!/^(true|1)$/.test(home.is_live!) || home.alias_principal !== 'P' || home.number_first === '')
      continue;
    if (i++ % step !== 0) continue;
    const unit = home.flat_number === '' ? '' : `${home.flat_number}/`;
    const address = `${unit}${home.number_first} ${home.street_name} ${home.street_type}`;
    const price = 400_000 + ((i * 7919) % 900) * 1000;
    lines.push(
      `agency,night${i},listed,sale,${date},${address},${home.locality_name},${home.state},${home.postcode},${price},${bedrooms ?? 2 + (i % 3)},"Close to schools and shops."`,
    );
  }
  await writeFile(join(folder, `night_${date}.csv`), `${lines.join('\n')}\n`);
}
