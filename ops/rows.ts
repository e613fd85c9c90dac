import { bbox, feature, featureCollection } from '@turf/turf';
import { geoJsonOf } from '../pipelines/export/exported_geometry.ts';
import type { BoundedRows, Shown } from '../store/read/bounded_rows.ts';
import { html, htmlTable, type Markup } from './html.ts';
import { layersAt } from './map/drawn_layers.ts';
import { dataFor } from './page.ts';
import { propertyLink } from './property/view.ts';

/** Files that a page with a map of rows loads. None if no row is drawn. */
export const mapFiles = (map: Markup): { modules: string[]; styles: string[] } =>
  map.text === ''
    ? { modules: [], styles: [] }
    : { modules: ['rows_map.mjs'], styles: ['maplibre-gl.css', 'map.css'] };

const bytes = (value: Uint8Array): string => `${value.byteLength.toLocaleString('en-AU')} bytes`;

/** Shows a value without rounding. A property links to its page. */
function cell({ name, type }: Shown, value: unknown): unknown {
  if (value === null || value === '') return '';
  if (value instanceof Uint8Array) return html`<span class="note">${bytes(value)}</span>`;
  if (/int|real|double|numeric/.test(type)) return html`<span class="exact">${String(value)}</span>`;
  if (name !== 'gnaf_pid') return String(value);
  return propertyLink(String(value), String(value));
}

/** Renders rows as a table. The number of a row is its link, and the map links to it. On a phone it opens the row. */
export const rowsTable = ({ columns, rows }: BoundedRows): Markup =>
  html`<div class="data">${htmlTable(
    columns.map(({ name }) => name),
    rows.map((row, i) =>
      columns.map((column, place) => {
        const value = cell(column, row[column.name]);
        return place === 0
          ? html`<a id="row-${i + 1}" class="note" href="#row-${i + 1}">${i + 1}</a> ${value}`
          : value;
      }),
    ),
    true,
  )}</div>`;

/** Shape of a row as GeoJSON. Null: it has none, or its coordinates are not on Earth. */
function shapeOf(row: Record<string, unknown>, column: string | undefined): GeoJSON.Geometry | null {
  try {
    const geom = column === undefined ? null : row[column];
    const shape = geoJsonOf({ geom, lon: row.lon, lat: row.lat }) as GeoJSON.Geometry | null;
    if (shape === null) return null;
    const [west, south, east, north] = bbox(shape);
    return west >= -180 && east <= 180 && south >= -90 && north <= 90 && west <= east ? shape : null;
  } catch {
    return null;
  }
}

/** Draws shapes on a map. */
export function shapesMap(shapes: readonly GeoJSON.Feature[], label: string): Markup {
  const all = featureCollection([...shapes]);
  return html`<div id="map" class="map small-map" role="region" aria-label="${label}"></div>
${dataFor('setup', { layers: layersAt(null), box: bbox(all), rows: all })}`;
}

/** Draws rows on a map if they have a shape column or columns `lon` and `lat` in degrees of GDA2020. Empty: no row has a position. */
export function rowsMap({ columns, rows }: BoundedRows): Markup {
  const column = columns.find(({ type }) => type === 'bytea')?.name;
  const features = rows.flatMap((row, i) => {
    const geometry = shapeOf(row, column);
    return geometry === null ? [] : [feature(geometry, { row: i + 1 })];
  });
  if (features.length === 0) return html``;
  const shapelessNote =
    features.length < rows.length ? `; ${rows.length - features.length} have no shape here` : '';
  return html`${shapesMap(features, 'Map of the rows')}<p class="note">${features.length} of ${rows.length} rows are drawn${shapelessNote}. A click leads to the row.</p>`;
}
