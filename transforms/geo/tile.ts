import { type GeoJSONVTOptions, geoJSONToTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature } from 'geojson';
import type { Bbox } from '../../schema/grid.ts';
import { geometryOf, type MapShape } from './map_shape.ts';

/** A tile of the web map: zoom, column, row. */
export interface TileAddress {
  z: number;
  x: number;
  y: number;
}

/** A vector tile, with the numbers of its shapes and of those left out to keep it small. */
export interface Tile {
  bytes: Uint8Array;
  shapes: number;
  /** Number of shapes no smaller than a pixel. */
  drawn: number;
  left_out: number;
}

/** Maximum shapes and bytes of a tile. */
export const MAX_SHAPES = 8000;
export const MAX_BYTES = 500_000;
/** Maximum vertices read for a tile, before simplification. */
export const MAX_TILE_VERTICES = 600_000;
/** Units per tile side, and margin in which shapes are drawn, in units. */
const EXTENT = 4096;
const BUFFER = 64;
const TOLERANCE = 3;

const longitude = (x: number, z: number): number => (x / 2 ** z) * 360 - 180;
const latitude = (y: number, z: number): number =>
  (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;

/** Returns the bounds of a tile with a margin of `beyond` tiles, GDA2020 degrees. */
export function tileBox({ z, x, y }: TileAddress, beyond = BUFFER / EXTENT): Bbox {
  return [
    longitude(x - beyond, z),
    latitude(y + 1 + beyond, z),
    longitude(x + 1 + beyond, z),
    latitude(y - beyond, z),
  ];
}

export const meets = (a: Bbox, b: Bbox): boolean =>
  a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];

const size = ({ box }: MapShape): number => (box[2] - box[0]) * (box[3] - box[1]);

export const verticesOf = ({ shape }: MapShape): number => shape.geometry.coords.length / 2;

/** Returns the largest shapes, as many as a tile takes, in their original order. */
export function largest(shapes: readonly MapShape[], most: number): MapShape[] {
  const order = shapes.map((_, i) => i).sort((a, b) => size(shapes[b]!) - size(shapes[a]!) || a - b);
  let sum = 0;
  const chosen = order.slice(0, most).filter((i) => {
    sum += verticesOf(shapes[i]!);
    return sum <= MAX_TILE_VERTICES;
  });
  return chosen.sort((a, b) => a - b).map((i) => shapes[i]!);
}

function square(box: Bbox, left_out: number): Feature {
  const [west, south, east, north] = box;
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Feature', properties: { left_out }, geometry: { type: 'Polygon', coordinates: [ring] } };
}

/**
 * Builds the tile of a layer. Shapes are clipped and simplified to screen resolution, but not simplified at `maxZoom`. If they do
 * not fit, the smallest are left out. The tile's layer `left_out` then has its extent and their number, including `before`: the
 * number already missing from `all`.
 */
export function makeTile(
  layer: string,
  all: readonly MapShape[],
  at: TileAddress,
  maxZoom: number,
  before = 0,
): Tile {
  const options: GeoJSONVTOptions & { clip: boolean } = {
    maxZoom,
    extent: EXTENT,
    buffer: BUFFER,
    tolerance: TOLERANCE,
    clip: true,
  };
  const cut = (features: Feature[]) =>
    geoJSONToTile({ type: 'FeatureCollection', features }, at.z, at.x, at.y, options);
  const inside = tileBox(at);
  const shapes = all.filter(({ box }) => meets(box, inside));
  for (let most = MAX_SHAPES; ; most = Math.floor(most / 2)) {
    const chosen = largest(shapes, most);
    const left_out = before + shapes.length - chosen.length;
    const features = chosen.map(
      ({ shape, says }): Feature => ({ type: 'Feature', properties: says, geometry: geometryOf(shape) }),
    );
    const tile = cut(features);
    const bytes = fromGeojsonVt(
      {
        [layer]: tile,
        ...(left_out > 0 ? { left_out: cut([square(tileBox(at, 0), left_out)]) } : {}),
      },
      { version: 2, extent: EXTENT },
    );
    if (bytes.length <= MAX_BYTES || most <= 1) {
      const drawn = tile.features.length;
      return { bytes, shapes: chosen.length, drawn, left_out };
    }
  }
}
