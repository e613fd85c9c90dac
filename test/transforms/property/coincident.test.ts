import { describe, expect, it } from 'vitest';
import { ParcelFinder } from '../../../pipelines/stages/parcels/parcel_finder.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { CoincidentParcels } from '../../../transforms/property/coincident.ts';
import { landAreaOf } from '../../../transforms/property/land_area.ts';
import { HERE, inMetres, rectangle } from '../shapes.ts';

const box = (geometry: MultiPolygon) => {
  const [min_lon, min_lat, max_lon, max_lat] = bboxOf(geometry.coords);
  return { min_lon, min_lat, max_lon, max_lat };
};
const ring = (...points: (readonly [number, number])[]) => inMetres([[[...points, points[0]!]]]);

describe('parcels with the same ground', () => {
  const square = inMetres([[rectangle(0, 0, 20, 20)]]);
  const turned = ring([20, 0], [20, 20], [0, 20], [0, 0]);
  const lower = ring([0, 0], [20, 0], [20, 20]);
  const upper = ring([0, 0], [20, 20], [0, 20]);
  const holed = inMetres([[rectangle(0, 0, 20, 20), rectangle(5, 5, 10, 10)]]);
  const has = (shapes: MultiPolygon[], parcel: number): boolean =>
    new CoincidentParcels(shapes.map(box), (i) => shapes[i]!).has(parcel);

  it('are those with the same vertices, wherever their rings begin', () => {
    expect(has([square, square], 0)).toBe(true);
    expect(has([square, turned], 1)).toBe(true);
  });

  it('are not two halves of a rectangle, a lot with a hole, or a neighbour', () => {
    expect(has([square], 0)).toBe(false);
    expect(has([lower, upper], 0)).toBe(false);
    expect(has([square, holed], 0)).toBe(false);
    expect(has([square, inMetres([[rectangle(20, 0, 40, 20)]])], 0)).toBe(false);
  });
});

describe('a tower whose lots are drawn with its footprint', () => {
  const footprint = inMetres([[rectangle(0, 0, 40, 40)]]);
  const next = inMetres([[rectangle(40, 0, 60, 40)]]);
  const parcel = (parcel_id: string, geometry: MultiPolygon, area_sqm: number) => ({
    cell: 1,
    parcel_id,
    lot_plan: parcel_id,
    area_sqm,
    ...box(geometry),
    geom: encodeWkb(geometry),
  });
  const lots = Array.from({ length: 29 }, (_, i) => parcel(`${i + 1}SP1`, footprint, 1591));
  const parcels = [...lots, parcel('1RP9', next, 800)];
  const finder = new ParcelFinder(parcels, { nearest_m: 5, legal_id_radius_m: 1000 });
  const coincident = new CoincidentParcels(parcels, (i) => (i < lots.length ? footprint : next));
  const address = (lot_plan: string) => ({
    lon: HERE[0] + 1e-5,
    lat: HERE[1] + 1e-5,
    lot_plan,
    geocode_type: 'PC',
    geocode_level: 7,
  });

  it('gives none of them land of its own, and says why', () => {
    const areas = lots.map(({ lot_plan }) => {
      const { parcel: found } = finder.find(address(lot_plan));
      expect(found!.parcel_id).toBe(lot_plan);
      return landAreaOf(true, found!.area_sqm, coincident.has(parcels.indexOf(found as never)), {
        units: 1,
        others: 0,
      });
    });
    expect(new Set(areas.map((area) => JSON.stringify(area)))).toEqual(
      new Set(['{"land_area_sqm":null,"land_area_reason":"coincident_parcels"}']),
    );
  });

  it('leaves its neighbouring house its land area', () => {
    const { parcel: found } = finder.find(address('1RP9'));
    const coincides = coincident.has(parcels.indexOf(found as never));
    expect(landAreaOf(false, found!.area_sqm, coincides, { units: 0, others: 1 })).toEqual({
      land_area_sqm: 800,
      land_area_reason: null,
    });
  });
});
