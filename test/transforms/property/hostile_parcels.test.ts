import { booleanPointInPolygon } from '@turf/turf';
import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../tools/sample/random.ts';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon, toGeoJson } from '../../../transforms/geo/geometry.ts';
import { adjoiningParcels, type ParcelShape } from '../../../transforms/property/neighbours.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  type ParcelIndex,
  type ParcelOfAddress,
  parcelOfAddress,
} from '../../../transforms/property/parcel_of_address.ts';
import {
  areaFeature,
  CENTRE,
  moved,
  parcelShape,
  placed,
  SEAMS,
  shuffled,
  wavyRing,
} from '../layers/hostile.ts';
import { measureParcel, measurePoint } from '../layers/oracle.ts';
import { rectangle } from '../shapes.ts';

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 1);
const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);

/** Parcels of every shape: lots that touch at T-junctions without a node, overlap and lie in each other, and areas of all sizes. */
function cadastre(random: Random, east: number): MultiPolygon[] {
  const lot = (x: number, y: number, w: number, h: number) => placed([[rectangle(x, y, x + w, y + h)]]);
  const shapes = [
    ...Array.from({ length: 8 }, () => parcelShape(random)),
    ...Array.from({ length: 4 }, () => areaFeature(random)),
    // two lots along one side of a third, a gap of 5 cm, an overlap of 3 m, one inside another, a twin
    lot(-60, 300, 60, 30),
    lot(-60, 330, 25, 30),
    lot(-35, 330.05, 35, 30),
    lot(-3, 300, 20, 60),
    lot(-50, 305, 10, 10),
    lot(-50, 305, 10, 10),
  ];
  return shuffled(random, shapes).map((shape) => moved(shape, east));
}

describe.each(SEAMS)('at longitude %d', (lon) => {
  const east = lon - CENTRE[0];

  it('the parcel of an address is what Turf and the geodesic say, from all candidates or those near it', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = seededRandom(round, `address ${lon}`);
      const shapes = cadastre(random, east);
      const parcels = shapes.map((geometry, i): CandidateParcel => {
        const lot_plan = [null, 'A', 'B'][random.int(3)]!;
        return { parcel_id: `p${i}`, lot_plan, geometry, area_sqm: geodesicAreaSqm(geometry) };
      });
      const index = buildParcelIndex(parcels);
      const again = buildParcelIndex(shuffled(random, parcels));
      for (let i = 0; i < 12; i++) {
        const from = shapes[random.int(shapes.length)]!.coords;
        const isNear = Math.abs(from[0]! - lon) < 0.03 && Math.abs(from[1]! - CENTRE[1]) < 0.03;
        // beside a corner, or anywhere
        const [x, y] = isNear && i % 2 === 0 ? [from[0]!, from[1]!] : [lon, CENTRE[1]];
        const size = isNear && i % 2 === 0 ? 0.001 : 0.03;
        const at = { lon: x + (random.next() - 0.5) * size, lat: y + (random.next() - 0.5) * size };
        const address = { ...at, hasParcelPosition: true, lot_plan: ['A', null, 'C'][i % 3]! };
        const params = { nearest_m: 150, legal_id_radius_m: 600 };
        const found = parcelOfAddress(index, address, params);
        const other = parcelOfAddress(again, address, params);
        const ids = ({ parcels: of }: Pick<ParcelIndex, 'parcels'>, one: ParcelOfAddress) => ({
          ...one,
          parcel: of[one.parcel]?.parcel_id,
          holders: one.holders.map((i) => of[i]!.parcel_id),
        });
        expect(ids(again, other)).toEqual(ids({ parcels }, found));
        const near = parcels.filter(({ geometry }) => {
          const [west, south, east, north] = bboxOf(geometry.coords);
          return (
            west < at.lon + 0.012 && east > at.lon - 0.012 && south < at.lat + 0.012 && north > at.lat - 0.012
          );
        });
        const tile = buildParcelIndex(near);
        const alone = parcelOfAddress(tile, address, params);
        expect(ids(tile, alone)).toEqual(ids({ parcels }, found));
        expectParcelOf(parcels, address, found);
      }
    }
  });

  it('an address near a border of 90,000 vertices has the parcel and distance of the reference', () => {
    const wavy = moved(wavyRing(), east);
    const parcel = { parcel_id: 'wavy', lot_plan: null, geometry: wavy, area_sqm: geodesicAreaSqm(wavy) };
    for (const metres of [-400, -5, 5, 400]) {
      const at = { lon: wavy.coords[0]! + metres / 88_000, lat: wavy.coords[1]! };
      const address = { ...at, hasParcelPosition: true, lot_plan: null };
      const params = { nearest_m: 150, legal_id_radius_m: 600 };
      expectParcelOf([parcel], address, parcelOfAddress(buildParcelIndex([parcel]), address, params));
    }
  });

  it('the neighbours are the pairs that meet by the geodesic, from all parcels or tile by tile', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = seededRandom(round, `neighbours ${lon}`);
      // brute force cannot take the widest: a border of 300 km has a test of its own
      const parcels = cadastre(random, east)
        .filter(({ coords }) => bboxOf(coords)[2] - bboxOf(coords)[0] < 0.06)
        .map((geometry, i): ParcelShape => ({ id: `p${i}`, geometry }));
      const found = rows(parcels, parcels);
      const pairs = new Set(found.map((row) => row.split(' ').slice(0, 2).join(' ')));
      for (const [i, a] of parcels.entries()) {
        for (const b of parcels.slice(i + 1)) {
          const { border_m, overlap_sqm } = measureParcel(
            { kind: 'polygon', geometry: b.geometry },
            a.geometry,
            0.001,
          );
          if (overlap_sqm === 0 && Math.abs(border_m - 0.2) < 0.005) continue;
          const isPair = overlap_sqm > 0 || border_m < 0.2;
          expect([a.id, b.id, pairs.has(`${a.id} ${b.id}`), pairs.has(`${b.id} ${a.id}`)]).toEqual([
            a.id,
            b.id,
            isPair,
            isPair,
          ]);
        }
      }
      // tiles of 0.01 degrees, the parcels of each by their first vertex, with those whose boxes come within 1 m
      const tiles = new Map<string, ParcelShape[]>();
      for (const parcel of parcels) {
        const { coords } = parcel.geometry;
        const tile = `${Math.floor(coords[0]! * 100)} ${Math.floor(coords[1]! * 100)}`;
        tiles.set(tile, [...(tiles.get(tile) ?? []), parcel]);
      }
      const tiled = [...tiles.values()].flatMap((own) => {
        const around = parcels.filter((p) => !own.includes(p) && own.some((each) => boxesMeet(each, p)));
        return rows(shuffled(random, [...around, ...own]), own);
      });
      expect(tiled.sort()).toEqual(found);
    }
  });

  it('a border of 300 km is shared along the whole side of a lot that has no node on it', () => {
    const side = (t: number): [number, number] => [lon - 1.5 + 3 * t, CENTRE[1] - 0.4 + 0.8 * t];
    const far = [side(0), side(1), [lon + 1.5, CENTRE[1] + 1], side(0)] as [number, number][];
    const [p, q] = [side(0.49995), side(0.50005)];
    const lot = [p, q, [q[0] + 1e-4, q[1] - 3e-4], [p[0] + 1e-4, p[1] - 3e-4], p] as [number, number][];
    const parcels = [far, lot].map((ring, i) => ({ id: `${i}`, geometry: ringOf(ring) }));
    const [pair] = adjoiningParcels(parcels, [0], { tolerance_m: 0.2, min_shared_m: 0.7 });
    // the two sides that lead away run on for about the tolerance each
    const side_m = grs80.Inverse(p[1], p[0], q[1], q[0]).s12!;
    expect(pair!.shared_m - side_m).toBeGreaterThan(0.3);
    expect(pair!.shared_m - side_m).toBeLessThan(0.6);
  });

  it('a ring of 90,000 vertices adjoins what crosses it and not what lies in its middle', () => {
    const wavy = wavyRing();
    const [x, y] = [wavy.coords[0]!, wavy.coords[1]!];
    const hole = placed([[rectangle(-5000, -5000, 5000, 5000)]]);
    const around = { ...hole, coords: Float64Array.of(...hole.coords), ringEnds: [...hole.ringEnds] };
    const ringed: MultiPolygon = {
      coords: new Float64Array([...around.coords, ...wavy.coords]),
      ringEnds: [5, 5 + wavy.coords.length / 2],
      polygonEnds: [2],
    };
    const lot = (dx: number): MultiPolygon =>
      ringOf([
        [x + dx, y],
        [x + dx + 1e-4, y],
        [x + dx + 1e-4, y + 1e-4],
        [x + dx, y + 1e-4],
        [x + dx, y],
      ]);
    const shapes = [wavy, ringed, lot(-5e-5), placed([[rectangle(0, 0, 20, 20)]])];
    const parcels = shapes.map((shape, i) => ({ id: `p${i}`, geometry: moved(shape, east) }));
    const found = rows(parcels, parcels);
    expect(found.map((row) => row.split(' ').slice(0, 2).join(' '))).toEqual([
      'p0 p1',
      'p0 p2',
      'p0 p3',
      'p1 p0',
      'p1 p2',
      'p2 p0',
      'p2 p1',
      'p3 p0',
    ]);
    const shared = Number(found[0]!.split(' ')[2]);
    expect(Math.abs(shared - perimeterOf(parcels[0]!.geometry))).toBeLessThan(shared * 0.001);
  });

  it('areas are those of GeographicLib, whatever the order of parts and the first vertex', () => {
    for (let round = 0; round < ROUNDS * 4; round++) {
      const random = seededRandom(round, `area ${lon}`);
      const shapes = [parcelShape(random), areaFeature(random)];
      if (round === 0) shapes.push(wavyRing());
      for (const shape of shapes.map((each) => moved(each, east))) {
        const own = geodesicAreaSqm(shape);
        const reference = referenceArea(shape);
        expect(Math.abs(own - reference)).toBeLessThan(0.001 + reference * (reference > 1e9 ? 1e-4 : 1e-6));
        expect(Math.abs(geodesicAreaSqm(turned(shape)) - own)).toBeLessThan(0.001 + own * 1e-9);
      }
    }
  });
});

/** Pairs as lines of text, sorted: ids, metres, corner. */
function rows(parcels: readonly ParcelShape[], subjects: readonly ParcelShape[]): string[] {
  const numbers = subjects.map((each) => parcels.indexOf(each));
  return adjoiningParcels(parcels, numbers, { tolerance_m: 0.2, min_shared_m: 0.7 })
    .map(({ a, b, shared_m, corner }) => `${parcels[a]!.id} ${parcels[b]!.id} ${shared_m} ${corner}`)
    .sort();
}

function boxesMeet(a: ParcelShape, b: ParcelShape): boolean {
  const [west, south, east, north] = bboxOf(a.geometry.coords);
  const other = bboxOf(b.geometry.coords);
  const m = 1e-5;
  return other[0] < east + m && other[2] > west - m && other[1] < north + m && other[3] > south - m;
}

const ringOf = (ring: readonly (readonly [number, number])[]): MultiPolygon => ({
  coords: Float64Array.from(ring.flat()),
  ringEnds: [ring.length],
  polygonEnds: [1],
});

function perimeterOf({ coords }: MultiPolygon): number {
  let sum = 0;
  for (let k = 0; k + 3 < coords.length; k += 2)
    sum += grs80.Inverse(coords[k + 1]!, coords[k]!, coords[k + 3]!, coords[k + 2]!).s12!;
  return sum;
}

/** What the rule says of an address with a legal id A, a legal id that no parcel has, or none. */
function expectParcelOf(
  parcels: readonly CandidateParcel[],
  address: { lon: number; lat: number; lot_plan: string | null },
  found: { parcel: number; method: string; distance_m: number | null },
): void {
  const all = parcels.map((parcel, i) => {
    const { border_m } = measurePoint(
      { kind: 'polygon', geometry: parcel.geometry },
      address.lon,
      address.lat,
      0.012,
    );
    const isIn = booleanPointInPolygon([address.lon, address.lat], toGeoJson(parcel.geometry));
    return { i, parcel, isIn, border_m, m: isIn ? 0 : border_m };
  });
  const inside = (list: typeof all) =>
    list
      .filter(({ isIn }) => isIn)
      .sort(
        (a, b) => a.parcel.area_sqm - b.parcel.area_sqm || (a.parcel.parcel_id < b.parcel.parcel_id ? -1 : 1),
      )[0];
  const nearest = (list: typeof all, within_m: number) =>
    list.filter(({ m }) => m <= within_m).sort((a, b) => a.m - b.m)[0];
  const same = all.filter(({ parcel }) => parcel.lot_plan !== null && parcel.lot_plan === address.lot_plan);
  const legal = inside(same) ?? nearest(same, 600);
  const holder = inside(all);
  const expected = legal ?? holder ?? nearest(all, 150);
  const method = legal ? 'legal_id' : holder ? 'point_in_parcel' : expected ? 'nearest' : 'none';
  expect(found.method).toBe(method);
  if (!expected) return;
  expect(Math.abs(found.distance_m! - expected.m)).toBeLessThan(Math.max(0.05, expected.m * 0.001));
  const isTie = all.some(
    ({ i, m, isIn }) => i !== expected.i && !isIn && Math.abs(m - expected.m) < 0.01 + m * 0.001,
  );
  if (!isTie) expect(found.parcel).toBe(expected.i);
}

/** Shells less holes, by GeographicLib; edges are geodesics. */
function referenceArea({ coords, ringEnds, polygonEnds }: MultiPolygon): number {
  let total = 0;
  let from = 0;
  let polygon = 0;
  for (const [ring, end] of ringEnds.entries()) {
    if (ring >= polygonEnds[polygon]!) polygon++;
    const isShell = ring === (polygon === 0 ? 0 : polygonEnds[polygon - 1]);
    const shape = grs80.Polygon(false);
    for (let v = from; v + 1 < end; v++) shape.AddPoint(coords[v * 2 + 1]!, coords[v * 2]!);
    total += (isShell ? 1 : -1) * Math.abs(shape.Compute(false, true).area!);
    from = end;
  }
  return total;
}

/** The same shape with its parts the other way round, each ring begun one vertex later. */
function turned({ coords, ringEnds, polygonEnds }: MultiPolygon): MultiPolygon {
  const rings = ringEnds.map((end, r) => {
    const ring = coords.slice((ringEnds[r - 1] ?? 0) * 2, end * 2);
    return [...ring.slice(2), ring[2]!, ring[3]!];
  });
  const parts = polygonEnds.map((end, p) => rings.slice(polygonEnds[p - 1] ?? 0, end)).reverse();
  const ends = (lengths: number[]): number[] =>
    lengths.map((_, i) => lengths.slice(0, i + 1).reduce((a, b) => a + b, 0));
  return {
    coords: Float64Array.from(parts.flat(2)),
    ringEnds: ends(parts.flat().map((ring) => ring.length / 2)),
    polygonEnds: ends(parts.map((part) => part.length)),
  };
}
