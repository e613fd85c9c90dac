import { append } from '../../schema/group_by.ts';
import { type BoxGrid, boxesAround, boxesMeeting, buildBoxGrid, type NumberList } from '../geo/box_grid.ts';
import { boundaryDistance, type EdgeBands, edgeBands, insideBands } from '../geo/edge_bands.ts';
import type { LonLat, MultiPolygon } from '../geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import { pointInMultiPolygon } from '../geo/point_in_polygon.ts';

/** Facts to find the parcel of an address. `lon`, `lat` in GDA2020 degrees; null: no geocode. */
export interface AddressPoint {
  lon: number | null;
  lat: number | null;
  /** True if the point is on the property itself (not on a street, a locality or interpolated between numbers). */
  hasParcelPosition: boolean;
  /** Normalised legal parcel id, comparable with CandidateParcel.lot_plan. */
  lot_plan: string | null;
}

/** A parcel that may have addresses: GDA2020 degrees, closed rings, area in square metres. */
export interface CandidateParcel {
  parcel_id: string;
  lot_plan: string | null;
  geometry: MultiPolygon;
  area_sqm: number;
}

/** How the parcel of an address was found, most certain first. */
type ParcelMethod = 'legal_id' | 'point_in_parcel' | 'nearest' | 'none';

/** The parcel of an address: an index into the candidates, -1 for none. */
export interface ParcelOfAddress {
  parcel: number;
  method: ParcelMethod;
  /** Metres from the point to the parcel, to 0.01 m, 0 inside. Null: no parcel or no point. */
  distance_m: number | null;
  /** Parcels that contain a point on the property, smallest first, whether or not one is the address's; the lowest id of those with one shape. */
  holders: readonly number[];
}

/** `nearest_m`: maximum distance of a point from its parcel. `legal_id_radius_m`: maximum distance of a parcel with the same legal id. */
export interface ParcelOfAddressParams {
  nearest_m: number;
  legal_id_radius_m: number;
}

/** Candidate parcels, searchable by location and by legal parcel id. Built by buildParcelIndex. */
export interface ParcelIndex {
  readonly parcels: readonly CandidateParcel[];
  readonly boxes: BoxGrid;
  /** Edges by index, computed on demand. */
  readonly bands: (EdgeBands | undefined)[];
  /** Indexes by normalised legal parcel id, ascending. */
  readonly byLotPlan: ReadonlyMap<string, readonly number[]>;
}

const NONE: ParcelOfAddress = { parcel: -1, method: 'none', distance_m: null, holders: [] };

/**
 * Prepares candidate parcels for parcelOfAddress. Distances use a metric frame per point. `boxes`: result of boxesAround, if
 * already known; then only the geometry of parcels near a point is read.
 */
export function buildParcelIndex(
  parcels: readonly CandidateParcel[],
  boxes = boxesAround(parcels.map(({ geometry }) => geometry)),
): ParcelIndex {
  const byLotPlan = new Map<string, number[]>();
  for (let i = 0; i < parcels.length; i++) {
    const { lot_plan } = parcels[i]!;
    if (lot_plan === null) continue;
    append(byLotPlan, lot_plan, i);
  }
  return { parcels, boxes: buildBoxGrid(boxes), bands: new Array(parcels.length), byLotPlan };
}

/** Distance of a point inside: less than for a point on the boundary of a parcel that does not contain it. */
const INSIDE = -1;

/** Returns whether `a` is the address's parcel if both contain the point: the smaller one, ties to the lower id. */
const isSmaller = (a: CandidateParcel, b: CandidateParcel): boolean =>
  a.area_sqm !== b.area_sqm ? a.area_sqm < b.area_sqm : a.parcel_id < b.parcel_id;

/** Best parcel so far: one that contains the point (the smallest of several), else the nearest; ties to the lower id. */
class BestParcel {
  parcel = -1;
  distance = Infinity;
  private readonly parcels: readonly CandidateParcel[];

  constructor(parcels: readonly CandidateParcel[]) {
    this.parcels = parcels;
  }

  /** Infinity is ignored. */
  offer(parcel: number, distance: number): void {
    if (distance > this.distance || distance === Infinity) return;
    if (distance === this.distance && this.parcel >= 0 && !this.precedes(parcel, distance)) return;
    this.parcel = parcel;
    this.distance = distance;
  }

  private precedes(parcel: number, distance: number): boolean {
    const mine = this.parcels[parcel]!;
    const other = this.parcels[this.parcel]!;
    return distance === INSIDE ? isSmaller(mine, other) : mine.parcel_id < other.parcel_id;
  }
}

/** Maximum vertices of a parcel that is searched edge by edge. */
const FEW = 64;

function bandsOf(index: ParcelIndex, parcel: number): EdgeBands {
  index.bands[parcel] ??= edgeBands(index.parcels[parcel]!.geometry);
  return index.bands[parcel];
}

/** Returns whether a parcel contains a point in its box. */
function holds(index: ParcelIndex, parcel: number, lon: number, lat: number): boolean {
  const { geometry } = index.parcels[parcel]!;
  if (geometry.coords.length <= FEW * 2) return pointInMultiPolygon(lon, lat, geometry);
  return insideBands(bandsOf(index, parcel), lon, lat);
}

/** Returns INSIDE, or the metres to the boundary; Infinity beyond `within_m`. */
function distanceTo(index: ParcelIndex, parcel: number, point: LonLat, within_m: number): number {
  const { boxes } = index.boxes;
  const k = parcel * 4;
  const { lon, lat } = point;
  const isInBox = lon >= boxes[k]! && lon <= boxes[k + 2]! && lat >= boxes[k + 1]! && lat <= boxes[k + 3]!;
  if (isInBox && holds(index, parcel, lon, lat)) return INSIDE;
  return boundaryDistance(bandsOf(index, parcel), point.lon, point.lat, within_m);
}

function placeOf({ lon, lat }: AddressPoint): LonLat | null {
  if (lon === null || lat === null || !Number.isFinite(lon) || !Number.isFinite(lat)) return null;
  return { lon, lat };
}

const publishedDistance = (distance: number): number => Math.round(Math.max(distance, 0) * 100) / 100;

function byLegalId(
  index: ParcelIndex,
  address: AddressPoint,
  point: LonLat | null,
  radius_m: number,
): Omit<ParcelOfAddress, 'holders'> | null {
  const same = address.lot_plan === null ? undefined : index.byLotPlan.get(address.lot_plan);
  if (!same) return null;
  if (!point) return same.length === 1 ? { parcel: same[0]!, method: 'legal_id', distance_m: null } : null;
  const best = new BestParcel(index.parcels);
  for (const i of same) best.offer(i, distanceTo(index, i, point, radius_m));
  if (best.parcel < 0) return null;
  return { parcel: best.parcel, method: 'legal_id', distance_m: publishedDistance(best.distance) };
}

const near: NumberList = { items: new Uint32Array(64) };

/** Returns whether two parcels have the same shape, like the lots of a building on one ground. */
function sameShape(a: CandidateParcel, b: CandidateParcel): boolean {
  if (a.area_sqm !== b.area_sqm) return false;
  const mine = a.geometry.coords;
  const others = b.geometry.coords;
  return mine.length === others.length && mine.every((value, i) => value === others[i]);
}

/** Returns the parcels that contain a point, smallest first, ties by id; one per shape. */
function holdersOf(index: ParcelIndex, point: LonLat): number[] {
  const { parcels, boxes } = index;
  const { lon, lat } = point;
  const count = boxesMeeting(boxes, lon, lat, lon, lat, near);
  const holding: number[] = [];
  for (let k = 0; k < count; k++) {
    if (holds(index, near.items[k]!, lon, lat)) holding.push(near.items[k]!);
  }
  if (holding.length < 2) return holding;
  holding.sort((a, b) => (isSmaller(parcels[a]!, parcels[b]!) ? -1 : 1));
  return holding.filter(
    (parcel, i) => !holding.slice(0, i).some((other) => sameShape(parcels[parcel]!, parcels[other]!)),
  );
}

function byPosition(index: ParcelIndex, point: LonLat, nearest_m: number): ParcelOfAddress {
  const holders = holdersOf(index, point);
  if (holders.length > 0) return { parcel: holders[0]!, method: 'point_in_parcel', distance_m: 0, holders };
  const best = new BestParcel(index.parcels);
  const { lon, lat } = point;
  const dx = nearest_m / metresPerDegreeLon(lat);
  const dy = nearest_m / metresPerDegreeLat(lat);
  const count = boxesMeeting(index.boxes, lon - dx, lat - dy, lon + dx, lat + dy, near);
  for (let k = 0; k < count; k++) {
    best.offer(near.items[k]!, boundaryDistance(bandsOf(index, near.items[k]!), lon, lat, nearest_m));
  }
  if (best.parcel < 0) return NONE;
  return { parcel: best.parcel, method: 'nearest', distance_m: publishedDistance(best.distance), holders };
}

/**
 * Finds the parcel of an address. First choice: a parcel with the same legal id within `legal_id_radius_m` of the point, preferably
 * one that contains the point, else the nearest. Without a point, the id must be unique among the candidates.
 * Second choice, for a point on the property: the smallest parcel that contains it, else the nearest within `nearest_m`. Ties go to
 * the lower parcel_id by code unit.
 */
export function parcelOfAddress(
  index: ParcelIndex,
  address: AddressPoint,
  params: ParcelOfAddressParams,
): ParcelOfAddress {
  const point = placeOf(address);
  const at = address.hasParcelPosition ? point : null;
  const legal = byLegalId(index, address, point, params.legal_id_radius_m);
  if (legal) return { ...legal, holders: at ? holdersOf(index, at) : [] };
  return at ? byPosition(index, at, params.nearest_m) : NONE;
}
