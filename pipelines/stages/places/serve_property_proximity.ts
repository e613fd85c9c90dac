import { addressHomeAsset, publicHousingPieceAsset } from '../../../schema/assets/property.ts';
import { placePieceRecord } from '../../../schema/records/place.ts';
import { schoolRecord } from '../../../schema/records/school.ts';
import { TRANSPORT_MODES } from '../../../schema/records/stop.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import { stopTable } from '../../../schema/serving/stop.ts';
import type { Row } from '../../../schema/table.ts';
import type { Plane } from '../../../transforms/geo/plane.ts';
import { decodeAnyWkb } from '../../../transforms/geo/wkb.ts';
import { measuredFrom, reportedDistance } from '../../../transforms/hazards/risk_row.ts';
import { buildFeatureLayer, type FeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import { nearestToBoth } from '../../../transforms/layers/nearest_to_both.ts';
import { nearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import {
  buildPointIndex,
  nearestPlaces,
  type PlacedSubjects,
  placeSubjects,
} from '../../../transforms/places/proximity.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { type HomeAddress, homeAddresses, lonOnProperty, parcelsHere } from '../addresses/home_addresses.ts';
import { parcelsWithAddress } from '../addresses/home_places.ts';
import { numberFeatures } from '../hazards/features.ts';
import { HOUSING_COLUMNS, type HousingPiece, planeOfCell } from '../hazards/hazard_layers.ts';

/** Search radii of the finder's distances, metres. Schools, shops, parks and stops are local; people travel to beaches and stations. */
const NEAR_M = 5000;
const FAR_M = 20_000;
const AROUND_NEAR = { kind: 'near', halo_m: NEAR_M, around: addressHomeAsset } as const;
const AROUND_FAR = { kind: 'near', halo_m: FAR_M, around: addressHomeAsset } as const;

const PLACE_COLUMNS = [
  'cell',
  'place_id',
  'category',
  'lon',
  'lat',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
] as const;

interface ProximityAddress {
  readonly lon: number | null;
  readonly lat: number | null;
}

/** Returns flat lon, lat pairs; NaN: no coordinates. */
function lonlatOf(rows: readonly ProximityAddress[]): Float64Array {
  const lonlat = new Float64Array(rows.length * 2);
  for (let i = 0; i < rows.length; i++) {
    const { lon, lat } = rows[i]!;
    lonlat[i * 2] = lon ?? Number.NaN;
    lonlat[i * 2 + 1] = lat ?? Number.NaN;
  }
  return lonlat;
}

interface PlacePiece {
  readonly cell: number;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly geom: Uint8Array | null;
}

/** Indexes areas, each in one or more pieces. */
function layerOf(
  pieces: readonly { id: string; cell: number; geom: Uint8Array | null }[],
  plane: Plane,
): FeatureLayer | null {
  const { numberOf } = numberFeatures(pieces, ({ id }) => id);
  return buildFeatureLayer(
    pieces.map(({ cell, geom }, i) => ({ feature: numberOf[i]!, cell, ...decodeAnyWkb(geom!) })),
    plane,
  );
}

/** Metres by subject number, rounded; -1: nothing within the radius. */
type Metres = Float64Array;

/** Addresses of a cell; searches for the nearest place of each kind. */
class CellAddresses {
  readonly #lonlat: Float64Array;
  readonly #plane: Plane;
  readonly #subjects: PlacedSubjects;

  constructor(rows: readonly ProximityAddress[], plane: Plane) {
    this.#lonlat = lonlatOf(rows);
    this.#plane = plane;
    this.#subjects = placeSubjects(this.#lonlat, plane);
  }

  /** Finds the nearest point of each address: metres and the point's number; -1: none within the radius. */
  nearestPoint(points: readonly ProximityAddress[], within_m: number): { metres: Metres; items: Int32Array } {
    const index = buildPointIndex(lonlatOf(points), this.#plane);
    const nearestHits = nearestPlaces(index, this.#subjects, { within_m, most: 1 });
    const count = this.#lonlat.length / 2;
    const metres = new Float64Array(count).fill(-1);
    const items = new Int32Array(count).fill(-1);
    for (let i = 0; i < count; i++) {
      if (nearestHits.count[i] === 0) continue;
      metres[i] = Math.round(nearestHits.distance_m[nearestHits.first[i]!]!);
      items[i] = nearestHits.items[nearestHits.first[i]!]!;
    }
    return { metres, items };
  }

  /** Returns metres to the nearest place, for an area to its edge, 0 inside. */
  nearestPlace(pieces: readonly PlacePiece[], within_m: number): Metres {
    const points = pieces.filter(({ geom }) => geom === null);
    const { metres } = this.nearestPoint(points, within_m);
    if (points.length < pieces.length) this.#takeNearer(metres, pieces, within_m);
    return metres;
  }

  /** Takes distances to places with a shape if they are shorter. */
  #takeNearer(metres: Metres, pieces: readonly PlacePiece[], within_m: number): void {
    const shaped = pieces.filter(({ geom }) => geom !== null);
    const layer = layerOf(shaped, this.#plane);
    const { nearest, distance_m } = nearestToPoints(layer, this.#lonlat, { within_m, count: false });
    for (let i = 0; i < nearest.length; i++) {
      if (nearest[i]! < 0) continue;
      const roundedM = Math.round(distance_m[i]!);
      if (metres[i]! < 0 || roundedM < metres[i]!) metres[i] = roundedM;
    }
  }
}

/** How public housing is measured: as in serving.property_risk, but with a longer radius. */
interface HousingParams {
  readonly measured_from: 'parcel' | 'point';
  readonly on_min_sqm: number;
}

/**
 * Returns metres to the nearest public housing, measured from where the property's hazards are measured. If the address has neither a
 * parcel nor a point on the property, its street or locality point is used, although serving.property_risk then has no rows.
 */
function toHousing(
  addresses: readonly HomeAddress[],
  shapes: readonly { parcel_id: string; geom: Uint8Array }[],
  housing: readonly HousingPiece[],
  plane: Plane,
  { measured_from, on_min_sqm }: HousingParams,
): Metres {
  const metres = new Float64Array(addresses.length).fill(-1);
  if (housing.length === 0) return metres;
  const layer = layerOf(
    housing.map(({ sa1, ...piece }) => ({ ...piece, id: sa1 })),
    plane,
  );
  const { parcels, numberOf } = parcelsWithAddress(addresses, shapes, plane);
  const lonlat = lonlatOf(addresses);
  const points = { lonlat, xy: plane.project(lonlat) };
  const options = { within_m: NEAR_M, on_min_sqm, count: false };
  const { onParcels, atPoints } = nearestToBoth(layer, parcels, points, options);
  for (let i = 0; i < addresses.length; i++) {
    const address = addresses[i]!;
    const { parcel_id } = address;
    const from = measuredFrom(measured_from, parcel_id !== null, lonOnProperty(address) !== null);
    const distances = from === 'parcel' ? onParcels : atPoints;
    const at = from === 'parcel' ? numberOf.get(parcel_id!)! : i;
    if (distances.nearest[at]! >= 0)
      metres[i] = reportedDistance(distances.on[at] === 1, distances.distance_m[at]!);
  }
  return metres;
}

/** Kinds of places; the first NEAR_CATEGORIES are searched within NEAR_M. */
const CATEGORIES = ['supermarket', 'green_space', 'restaurant', 'beach'] as const;
const NEAR_CATEGORIES = 3;

/** Inputs for the rows of a cell. */
interface ProximityRows {
  readonly cell: number;
  readonly emit: (row: Row<typeof propertyProximityTable>) => void;
  readonly schools: readonly { readonly school_id: number }[];
  readonly school: { metres: Metres; items: Int32Array };
  readonly station: Metres;
  readonly modes: readonly Metres[];
  readonly places: readonly Metres[];
  readonly estate: Metres;
}

const metresOrNull = (metres: Metres, i: number): number | null => (metres[i]! < 0 ? null : metres[i]!);

function add(
  this: ProximityRows,
  { gnaf_pid, state, sa2, sa3 }: Pick<Row<typeof addressHomeAsset>, 'gnaf_pid' | 'state' | 'sa2' | 'sa3'>,
  i: number,
): void {
  const { school, station, modes, places, estate } = this;
  this.emit({
    gnaf_pid,
    cell: this.cell,
    state,
    sa2,
    sa3,
    school_m: metresOrNull(school.metres, i),
    school_id: school.items[i]! < 0 ? null : this.schools[school.items[i]!]!.school_id,
    supermarket_m: metresOrNull(places[0]!, i),
    park_m: metresOrNull(places[1]!, i),
    restaurant_m: metresOrNull(places[2]!, i),
    beach_m: metresOrNull(places[3]!, i),
    railway_m: metresOrNull(station, i),
    train_m: metresOrNull(modes[0]!, i),
    tram_m: metresOrNull(modes[1]!, i),
    bus_m: metresOrNull(modes[2]!, i),
    ferry_m: metresOrNull(modes[3]!, i),
    public_housing_m: metresOrNull(estate, i),
  });
}

export const servePropertyProximityStage = stage({
  name: 'serve_property_proximity',
  version: 4,
  doc: 'Rows of serving.property_proximity: distances to the nearest of each kind of place.',
  subject: 'region',
  inputs: {
    region: homeAddresses,
    school: input(schoolRecord, ['cell', 'school_id', 'lon', 'lat'], AROUND_NEAR, {
      is_special: false,
      lon: { not: null },
    }),
    stop: input(stopTable, ['cell', 'stop_id', 'mode', 'lon', 'lat'], AROUND_NEAR),
    station: input(stopTable, ['cell', 'stop_id', 'lon', 'lat'], AROUND_FAR, { mode: 'train' }),
    place: input(placePieceRecord, PLACE_COLUMNS, AROUND_NEAR, {
      category: ['supermarket', 'green_space', 'restaurant'],
    }),
    beach: input(placePieceRecord, PLACE_COLUMNS, AROUND_FAR, { category: 'beach' }),
    shape: parcelsHere,
    housing: input(publicHousingPieceAsset, HOUSING_COLUMNS, AROUND_NEAR),
  },
  output: propertyProximityTable,
  params: ({ hazards }) => ({
    TRANSPORT_MODES,
    measured_from: hazards.measured_from,
    on_min_sqm: hazards.on_min_sqm,
  }),
  compute({ region, school, stop, station, place, beach, shape, housing }, { cell, params, emit }) {
    const plane = planeOfCell(cell);
    const subjects = new CellAddresses(region, plane);
    const pieces: PlacePiece[][] = CATEGORIES.map(() => []);
    for (const { category, cell, place_id, lon, lat, geom } of [...place, ...beach])
      pieces[CATEGORIES.indexOf(category as (typeof CATEGORIES)[number])]?.push({
        cell,
        id: place_id,
        lon,
        lat,
        geom,
      });
    const rows: ProximityRows = {
      cell,
      emit,
      schools: school,
      school: subjects.nearestPoint(school, NEAR_M),
      station: subjects.nearestPoint(station, FAR_M).metres,
      modes: TRANSPORT_MODES.map(
        (mode) =>
          subjects.nearestPoint(
            stop.filter((row) => row.mode === mode),
            NEAR_M,
          ).metres,
      ),
      places: pieces.map((some, k) => subjects.nearestPlace(some, k < NEAR_CATEGORIES ? NEAR_M : FAR_M)),
      estate: toHousing(region, shape, housing, plane, params),
    };
    region.forEach(add, rows);
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});
