import { describe, expect, it } from 'vitest';
import { contactOf } from '../../../transforms/geo/adjacency.ts';
import { edgeBands } from '../../../transforms/geo/edge_bands.ts';
import { adjoiningParcels } from '../../../transforms/property/neighbours.ts';
import { buildParcelIndex, parcelOfAddress } from '../../../transforms/property/parcel_of_address.ts';
import { haveYarra, readExpected, readYarraParcels, type YarraParcel } from './yarra_parcels.ts';

/** Expected pairs were computed with this tolerance and least length. */
const EXPECTED_PARAMS = { tolerance_m: 0.1, min_shared_m: 0.5 };

const parcels: YarraParcel[] = haveYarra ? await readYarraParcels() : [];
const indexOf = new Map(parcels.map((parcel, i) => [parcel.id, i]));
const at = (id: string): number => indexOf.get(id)!;

function sampledNeighbours(tolerance_m: number): Map<string, { shared_m: number; corner: boolean }> {
  const subjects = readExpected('adjoining_sampled_parcels.csv').map((row) => at(row.id_stock!));
  const pairs = adjoiningParcels(parcels, subjects, { ...EXPECTED_PARAMS, tolerance_m });
  return new Map(pairs.map((pair) => [`${parcels[pair.a]!.id}|${parcels[pair.b]!.id}`, pair]));
}

describe.skipIf(!haveYarra)('neighbours in the City of Yarra', () => {
  const expected = haveYarra ? readExpected('adjoining.csv') : [];
  const key = (row: Record<string, string>): string => `${row.id_stock}|${row.other_id_stock}`;
  const clear = expected.filter((row) => row.borderline === '0' && Number(row.overlap_m2) <= 1);

  it('agrees with every expected pair and finds no other', () => {
    const found = sampledNeighbours(0.1);
    expect(clear.length).toBeGreaterThan(700);
    for (const row of expected)
      expect([key(row), found.get(key(row))?.corner]).toEqual([key(row), row.adjoining === '0']);
    const known = new Set(expected.map(key));
    expect([...found].filter(([pair, { corner }]) => !corner && !known.has(pair))).toEqual([]);
    const counts = new Map<string, number>();
    for (const [pair, { corner }] of found) {
      if (!corner) counts.set(pair.split('|')[0]!, (counts.get(pair.split('|')[0]!) ?? 0) + 1);
    }
    for (const row of readExpected('adjoining_sampled_parcels.csv')) {
      expect([row.id_stock, counts.get(row.id_stock!) ?? 0]).toEqual([
        row.id_stock,
        Number(row.adjoining_count),
      ]);
    }
  });

  it('shares the expected length, to a centimetre in the direction that was expected', () => {
    for (const row of clear) {
      const a = edgeBands(parcels[at(row.id_stock!)]!.geometry);
      const b = edgeBands(parcels[at(row.other_id_stock!)]!.geometry);
      const { a_m, b_m, shared_m } = contactOf(a, b, 0.1);
      expect(Math.abs(a_m - Number(row.shared_m))).toBeLessThan(0.01);
      expect([a_m, b_m]).toContain(shared_m);
      // Slivers and overlaps below 1 m² make one direction longer than the other.
      expect(Math.abs(shared_m - Number(row.shared_m))).toBeLessThan(0.3);
    }
  });

  it('counts the two sides of a sliver as one border', () => {
    // Of the first parcel a strip of 9 cm runs on along the second; the second ends in a wedge, has a parcel in a hole, is a lane.
    for (const [first, second, shared_m] of [
      ['213224', '214535', 52.1],
      ['213224', '214536', 45.37],
      ['1549062', '1552945', 64.33],
      ['1552357', '1552563', 15.53],
      ['211780', '1553023', 6.04],
    ] as const) {
      const [a, b] = [first, second].map((id) => edgeBands(parcels[at(id)]!.geometry));
      expect(contactOf(a!, b!, 0.2).shared_m).toBeCloseTo(shared_m, 1);
      expect(contactOf(b!, a!, 0.2).shared_m).toBe(contactOf(a!, b!, 0.2).shared_m);
    }
  });

  it('keeps all these pairs at the default tolerance of 0.2 m', () => {
    const found = sampledNeighbours(0.2);
    for (const row of clear) expect(found.get(key(row))?.corner).toBe(row.adjoining === '0');
    const known = new Set(expected.map(key));
    const wider = [...found].filter(([pair, { corner }]) => !corner && !known.has(pair));
    expect(wider.map(([pair]) => pair)).toEqual([
      '209886|703 amalgamation_of_ 1552382',
      '1552563|1552352',
      '1552563|1552361',
    ]);
  });
});

describe.skipIf(!haveYarra)('parcel of a point in the City of Yarra', () => {
  it('finds the parcel whose own point it is, or one that holds the point as well', () => {
    const index = buildParcelIndex(
      parcels.map(({ id, lot_size, geometry }) => ({
        parcel_id: id,
        lot_plan: null,
        geometry,
        area_sqm: lot_size,
      })),
    );
    const methods = { point_in_parcel: 0, nearest: 0, none: 0, legal_id: 0 };
    let own = 0;
    for (const [i, { lon, lat }] of parcels.entries()) {
      const found = parcelOfAddress(
        index,
        { lon, lat, hasParcelPosition: true, lot_plan: null },
        { nearest_m: 5, legal_id_radius_m: 1000 },
      );
      methods[found.method]++;
      if (found.parcel === i) own++;
    }
    expect(methods).toEqual({ point_in_parcel: 19_846, nearest: 9, none: 3, legal_id: 0 });
    expect(own / parcels.length).toBeGreaterThan(0.98);
  });
});
