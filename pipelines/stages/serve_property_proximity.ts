import { addressRegionAsset, publicHousingPieceAsset } from '../../schema/assets.ts';
import { placePieceRecord } from '../../schema/records/place.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { TRANSPORT_MODES } from '../../schema/records/stop.ts';
import { propertyProximityTable } from '../../schema/serving/property_proximity.ts';
import { stopTable } from '../../schema/serving/stop.ts';
import type { Plane } from '../../transforms/geo/plane.ts';
import { type AnyGeometry, decodeAnyWkb } from '../../transforms/geo/wkb.ts';
import { buildFeatureLayer } from '../../transforms/hazards/feature_layer.ts';
import { nearestToPoints } from '../../transforms/hazards/nearest_to_points.ts';
import { buildPointIndex, nearestPlaces } from '../../transforms/proximity.ts';
import { input, stage } from '../engine/stage.ts';
import { numberFeatures } from './features.ts';
import { planeOfCell } from './hazard_layers.ts';

/** Search radii of the finder's distances, metres: schools, shops, parks and stops are local; beaches and stations are travelled to. */
const NEAR_M = 5000;
const FAR_M = 20_000;

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
const NOWHERE = { column: 'place_id', of: () => null } as const;

interface Placed {
  lon: number | null;
  lat: number | null;
}

/** Nearest of some points to each subject: its number and whole metres; null: none within the radius. */
function nearestPoint(points: readonly Placed[], subjects: Float64Array, plane: Plane, within_m: number) {
  const lonlat = Float64Array.from(points.flatMap(({ lon, lat }) => [lon ?? Number.NaN, lat ?? Number.NaN]));
  const found = nearestPlaces(buildPointIndex(lonlat, plane), subjects, { within_m, most: 1 });
  return (subject: number): { item: number; metres: number } | null =>
    found.count[subject] === 0
      ? null
      : {
          item: found.items[found.first[subject]!]!,
          metres: Math.round(found.distance_m[found.first[subject]!]!),
        };
}

interface PlacePiece {
  cell: number;
  id: string;
  lon: number;
  lat: number;
  geom: Uint8Array | null;
}

/** Whole metres from each subject to the nearest place, to the edge of an area and 0 inside; null: none within the radius. */
function nearestPlace(pieces: readonly PlacePiece[], subjects: Float64Array, plane: Plane, within_m: number) {
  const { numberOf } = numberFeatures(pieces, (piece) => piece.id);
  const shapeOf = ({ geom, lon, lat }: PlacePiece): AnyGeometry =>
    geom === null ? { kind: 'point', geometry: { coords: Float64Array.of(lon, lat) } } : decodeAnyWkb(geom);
  const layer = buildFeatureLayer(
    pieces.map((piece, i) => ({ feature: numberOf[i]!, cell: piece.cell, ...shapeOf(piece) })),
    plane,
  );
  const found = nearestToPoints(layer, subjects, { within_m, count: false });
  return (subject: number): number | null =>
    found.nearest[subject]! < 0 ? null : Math.round(found.distance_m[subject]!);
}

const least = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

export const servePropertyProximityStage = stage({
  name: 'serve_property_proximity',
  version: 2,
  doc: 'Rows of serving.property_proximity: distances to the nearest of each kind of place.',
  subject: 'region',
  inputs: {
    region: input(addressRegionAsset, ['gnaf_pid', 'state', 'sa2', 'sa3', 'lon', 'lat']),
    school: input(
      schoolRecord,
      ['cell', 'school_id', 'lon', 'lat'],
      { kind: 'around', halo_m: NEAR_M, of: 'cell' },
      'NOT is_special AND lon IS NOT NULL',
    ),
    stop: input(stopTable, ['cell', 'stop_id', 'mode', 'lon', 'lat'], {
      kind: 'around',
      halo_m: NEAR_M,
      of: 'cell',
    }),
    station: input(
      stopTable,
      ['cell', 'stop_id', 'lon', 'lat'],
      { kind: 'around', halo_m: FAR_M, of: 'cell' },
      "mode = 'train'",
    ),
    place: input(
      placePieceRecord,
      PLACE_COLUMNS,
      { kind: 'near', halo_m: NEAR_M, unplaced: NOWHERE },
      "category IN ('supermarket', 'green_space', 'restaurant')",
    ),
    destination: input(
      placePieceRecord,
      PLACE_COLUMNS,
      { kind: 'near', halo_m: FAR_M, unplaced: NOWHERE },
      "category IN ('beach', 'railway_station')",
    ),
    housing: input(
      publicHousingPieceAsset,
      ['cell', 'sa1', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'],
      { kind: 'near', halo_m: NEAR_M, unplaced: { column: 'sa1', of: () => null } },
    ),
  },
  output: propertyProximityTable,
  compute({ region, school, stop, station, place, destination, housing }, { cell, emit }) {
    const plane = planeOfCell(cell);
    const subjects = Float64Array.from(
      region.flatMap(({ lon, lat }) => [lon ?? Number.NaN, lat ?? Number.NaN]),
    );
    const places = (category: string, within_m: number) =>
      nearestPlace(
        [...place, ...destination]
          .filter((row) => row.category === category)
          .map((row) => ({ ...row, id: row.place_id })),
        subjects,
        plane,
        within_m,
      );
    const schools = nearestPoint(school, subjects, plane, NEAR_M);
    const [train, tram, bus, ferry] = TRANSPORT_MODES.map((mode) =>
      nearestPoint(
        stop.filter((row) => row.mode === mode),
        subjects,
        plane,
        NEAR_M,
      ),
    );
    const stations = nearestPoint(station, subjects, plane, FAR_M);
    const supermarket = places('supermarket', NEAR_M);
    const park = places('green_space', NEAR_M);
    const restaurant = places('restaurant', NEAR_M);
    const beach = places('beach', FAR_M);
    const railway = places('railway_station', FAR_M);
    const estate = nearestPlace(
      housing.map((row) => ({ ...row, id: row.sa1, lon: row.min_lon, lat: row.min_lat })),
      subjects,
      plane,
      NEAR_M,
    );
    region.forEach(({ gnaf_pid, state, sa2, sa3 }, i) => {
      const nearestSchool = schools(i);
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        school_m: nearestSchool?.metres ?? null,
        school_id: nearestSchool === null ? null : school[nearestSchool.item]!.school_id,
        supermarket_m: supermarket(i),
        park_m: park(i),
        restaurant_m: restaurant(i),
        beach_m: beach(i),
        railway_m: least(stations(i)?.metres ?? null, railway(i)),
        train_m: train!(i)?.metres ?? null,
        tram_m: tram!(i)?.metres ?? null,
        bus_m: bus!(i)?.metres ?? null,
        ferry_m: ferry!(i)?.metres ?? null,
        public_housing_m: estate(i),
      });
    });
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});
