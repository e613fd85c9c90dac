import { cellBbox, cellsOfBbox, expandBbox } from '../schema/grid.ts';
import { geodesicAreaSqm } from '../transforms/geo/area.ts';
import { boxesAround } from '../transforms/geo/box_grid.ts';
import type { MultiPolygon } from '../transforms/geo/geometry.ts';
import { localPlane, type Plane } from '../transforms/geo/plane.ts';
import { buildFeatureLayer } from '../transforms/hazards/feature_layer.ts';
import type { LayerPiece } from '../transforms/hazards/layer_piece.ts';
import { nearestToParcels } from '../transforms/hazards/nearest_to_parcels.ts';
import { nearestToPoints } from '../transforms/hazards/nearest_to_points.ts';
import { prepareParcels } from '../transforms/hazards/parcel_set.ts';
import { buildPointIndex, nearestPlaces, type PointIndex } from '../transforms/places/proximity.ts';
import { adjoiningParcels, type ParcelShape } from '../transforms/property/neighbours.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  parcelOfAddress,
} from '../transforms/property/parcel_of_address.ts';
import { countPlaces } from './count_places.ts';
import { type City, piecesByCell } from './spatial_data.ts';

/** What every partition works on, prepared before the clock starts: rows by grid cell, as tables hold them. */
export interface Prepared {
  city: City;
  cells: number[];
  parcelRange: Map<number, [number, number]>;
  addressRange: Map<number, [number, number]>;
  pieces: Map<number, LayerPiece[]>[];
  /** Rows of the parcels, as a stage is given them. */
  rows: (ParcelShape & CandidateParcel)[];
  /** Boxes around them, flat. */
  boxes: Float64Array;
}

/** First and last number, exclusive, of the items of each cell; `cells` ascends. */
function ranges(cells: Int32Array): Map<number, [number, number]> {
  const out = new Map<number, [number, number]>();
  for (let from = 0; from < cells.length; ) {
    let to = from;
    while (to < cells.length && cells[to] === cells[from]) to++;
    out.set(cells[from]!, [from, to]);
    from = to;
  }
  return out;
}

export function prepare(city: City): Prepared {
  const parcelRange = ranges(city.parcelCells);
  const addressRange = ranges(city.addressCells);
  return {
    city,
    cells: [...new Set([...parcelRange.keys(), ...addressRange.keys()])].sort((a, b) => a - b),
    parcelRange,
    addressRange,
    rows: city.parcels.map((geometry, i) => {
      const id = String(i).padStart(7, '0');
      return { id, parcel_id: id, lot_plan: null, geometry, area_sqm: geodesicAreaSqm(geometry) };
    }),
    boxes: boxesAround(city.parcels),
    pieces: city.hazards.map(({ features }) => {
      const cells = piecesByCell(features);
      return new Map(
        [...cells].map(([cell, list]) => [
          cell,
          list.map((piece) => ({ ...piece, kind: 'polygon' as const })),
        ]),
      );
    }),
  };
}

/** Sums of what a stage found, to compare it with the baseline; distances in metres. */
export type Sums = Record<string, number>;

const add = (sums: Sums, key: string, value: number): void => {
  sums[key] = (sums[key] ?? 0) + value;
};

function planeOf(cell: number): Plane {
  const [west, south, east, north] = cellBbox(cell);
  return localPlane((west + east) / 2, (south + north) / 2);
}

const parcelsOf = ({ city, parcelRange }: Prepared, cell: number): MultiPolygon[] =>
  city.parcels.slice(...(parcelRange.get(cell) ?? [0, 0]));

const addressesOf = ({ city, addressRange }: Prepared, cell: number): Float64Array => {
  const [from, to] = addressRange.get(cell) ?? [0, 0];
  return city.addresses.subarray(from * 2, to * 2);
};

/** Parcels of a cell and those near it with their boxes, which are columns of their table; the first `own` are the cell's. */
function parcelsAround(
  prepared: Prepared,
  cell: number,
  halo_m: number,
): { parcels: Prepared['rows']; boxes: Float64Array; own: number } {
  const { rows, parcelRange, boxes } = prepared;
  const [from, to] = parcelRange.get(cell) ?? [0, 0];
  const parcels = rows.slice(from, to);
  const numbers: number[] = [];
  const [west, south, east, north] = expandBbox(cellBbox(cell), halo_m);
  for (const other of cellsOfBbox([west, south, east, north])) {
    if (other === cell) continue;
    const [first, last] = parcelRange.get(other) ?? [0, 0];
    for (let i = first; i < last; i++) {
      const k = i * 4;
      if (boxes[k]! <= east && boxes[k + 2]! >= west && boxes[k + 1]! <= north && boxes[k + 3]! >= south)
        numbers.push(i);
    }
  }
  const found = new Float64Array((to - from + numbers.length) * 4);
  found.set(boxes.subarray(from * 4, to * 4));
  let at = (to - from) * 4;
  for (const i of numbers) {
    parcels.push(rows[i]!);
    for (let k = i * 4; k < i * 4 + 4; k++) found[at++] = boxes[k]!;
  }
  return { parcels, boxes: found, own: to - from };
}

function hazard(prepared: Prepared, layerNo: number, cell: number, sums: Sums): void {
  const region = expandBbox(cellBbox(cell), 1200);
  const pieces = cellsOfBbox(region).flatMap((c) => prepared.pieces[layerNo]!.get(c) ?? []);
  const plane = planeOf(cell);
  const layer = buildFeatureLayer(pieces, plane, region);
  const options = { within_m: 1000, on_min_sqm: 1 };
  const parcels = nearestToParcels(layer, prepareParcels(parcelsOf(prepared, cell), plane), options);
  const points = nearestToPoints(layer, addressesOf(prepared, cell), options);
  for (const [name, found] of [
    ['parcel', parcels],
    ['point', points],
  ] as const) {
    let [distance, on, features] = [0, 0, 0];
    for (let i = 0; i < found.on.length; i++) {
      if (found.nearest[i]! >= 0) distance += found.distance_m[i]!;
      on += found.on[i]!;
      features += found.features[i]!;
    }
    add(sums, `${name}_m`, distance);
    add(sums, `${name}_on`, on);
    add(sums, `${name}_features`, features);
  }
}

function neighbours(prepared: Prepared, cell: number, sums: Sums): void {
  const { parcels, own } = parcelsAround(prepared, cell, 400);
  const subjects = Array.from({ length: own }, (_, i) => i);
  for (const { shared_m } of adjoiningParcels(parcels, subjects, { tolerance_m: 0.2, min_shared_m: 0.7 })) {
    add(sums, 'pairs', 1);
    add(sums, 'shared_m', shared_m);
  }
}

function addressParcel(prepared: Prepared, cell: number, sums: Sums): void {
  const { city } = prepared;
  const { parcels, boxes } = parcelsAround(prepared, cell, 50);
  const index = buildParcelIndex(parcels, boxes);
  const [from, to] = prepared.addressRange.get(cell) ?? [0, 0];
  for (let i = from; i < to; i++) {
    const address = {
      lon: city.addresses[i * 2]!,
      lat: city.addresses[i * 2 + 1]!,
      hasParcelPosition: true,
      lot_plan: null,
    };
    const { method } = parcelOfAddress(index, address, { nearest_m: 5, legal_id_radius_m: 1000 });
    add(sums, method, 1);
  }
}

/** Numbers of the points (flat lon, lat pairs) that a stage is given for a cell: those within a radius of its box. */
function around(lonlat: Float64Array, cell: number, radius_m: number): number[] {
  const [west, south, east, north] = expandBbox(cellBbox(cell), radius_m);
  const out: number[] = [];
  for (let i = 0; i < lonlat.length; i += 2) {
    if (lonlat[i]! >= west && lonlat[i]! <= east && lonlat[i + 1]! >= south && lonlat[i + 1]! <= north)
      out.push(i / 2);
  }
  return out;
}

function indexAround(
  lonlat: Float64Array,
  category: Uint8Array | null,
  categories: number,
  cell: number,
  radius_m: number,
): PointIndex {
  const taken = around(lonlat, cell, radius_m);
  const own = new Float64Array(taken.length * 2);
  for (let k = 0; k < taken.length; k++) {
    own[k * 2] = lonlat[taken[k]! * 2]!;
    own[k * 2 + 1] = lonlat[taken[k]! * 2 + 1]!;
  }
  const kinds = category === null ? null : Uint8Array.from(taken, (i) => category[i]!);
  return buildPointIndex(own, planeOf(cell), kinds, categories);
}

function nearest(
  lonlat: Float64Array,
  category: Uint8Array | null,
  categories: number,
  within_m: number,
  most: number,
) {
  return (prepared: Prepared, cell: number, sums: Sums): void => {
    const index = indexAround(lonlat, category, categories, cell, within_m);
    const found = nearestPlaces(index, addressesOf(prepared, cell), { within_m, most });
    add(sums, 'found', found.items.length);
    let total = 0;
    for (let k = 0; k < found.distance_m.length; k++) total += found.distance_m[k]!;
    add(sums, 'found_m', total);
  };
}

/** Stages by name: each computes one partition, a grid cell. */
export function stagesOf({
  city,
}: Prepared): Record<string, (prepared: Prepared, cell: number, sums: Sums) => void> {
  return {
    'hazard bushfire': (prepared, cell, sums) => hazard(prepared, 0, cell, sums),
    'hazard flood': (prepared, cell, sums) => hazard(prepared, 1, cell, sums),
    neighbours,
    'address to parcel': addressParcel,
    'schools: 10 nearest in 5 km': nearest(city.schools, null, 1, 5000, 10),
    'places: counts in 1 km': (prepared, cell, sums) => {
      const index = indexAround(city.pois, city.poiCategory, 5, cell, 1000);
      let counted = 0;
      const counts = countPlaces(index, addressesOf(prepared, cell), 1000);
      for (let k = 0; k < counts.length; k++) counted += counts[k]!;
      add(sums, 'counted', counted);
    },
    'stops: nearest of each mode': nearest(city.stops, city.stopMode, 3, 5000, 1),
    'sales: 20 nearest in 500 m': nearest(city.sales, null, 1, 500, 20),
  };
}
