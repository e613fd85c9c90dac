import { describe, expect, it } from 'vitest';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';
import { wktOfProjJson } from '../../../transforms/geo/projjson.ts';

const ellipsoid = { name: 'GRS 1980', semi_major_axis: 6_378_137, inverse_flattening: 298.257222101 };
const geographic = (name: string, datum: string) => ({
  type: 'GeographicCRS',
  name,
  datum: { type: 'GeodeticReferenceFrame', name: datum, ellipsoid },
  coordinate_system: { subtype: 'ellipsoidal', axis: [{ name: 'Longitude', unit: 'degree' }] },
});
const GDA2020 = geographic('GDA2020', 'Geocentric Datum of Australia 2020');
const GDA94 = geographic('GCS_GDA_1994', 'D_GDA_1994');
const zone = (unit: unknown, longitude = 147) => ({
  type: 'ProjectedCRS',
  name: 'GDA2020 / MGA zone 55',
  base_crs: GDA2020,
  conversion: {
    name: 'Map Grid of Australia zone 55',
    method: { name: 'Transverse Mercator' },
    parameters: [
      { name: 'Latitude of natural origin', value: 0, unit: 'degree' },
      { name: 'Longitude of natural origin', value: longitude, unit: 'degree' },
      { name: 'Scale factor at natural origin', value: 0.9996, unit: 'unity' },
      { name: 'False easting', value: 500_000, unit: 'metre' },
      { name: 'False northing', value: 10_000_000, unit: 'metre' },
    ],
  },
  coordinate_system: { subtype: 'Cartesian', axis: [{ name: 'Easting', unit }] },
});
const crsOf = (value: unknown) => recogniseCrs(wktOfProjJson(value)!, 'a.parquet').id;

describe('PROJJSON without an identifier', () => {
  it('is recognised by its datum and parameters', () => {
    expect(crsOf(GDA2020)).toBe('EPSG:7844');
    expect(crsOf(GDA94)).toBe('EPSG:4283');
    expect(crsOf(zone('metre'))).toBe('EPSG:7855');
    expect(crsOf({ type: 'BoundCRS', source_crs: zone('metre') })).toBe('EPSG:7855');
    expect(crsOf({ type: 'CompoundCRS', components: [GDA94, { type: 'VerticalCRS' }] })).toBe('EPSG:4283');
    const { inverse_flattening, ...axes } = ellipsoid;
    const minor = axes.semi_major_axis * (1 - 1 / inverse_flattening);
    const datum = { ...GDA2020.datum, ellipsoid: { ...axes, semi_minor_axis: { value: minor } } };
    expect(crsOf({ ...GDA2020, datum })).toBe('EPSG:7844');
  });

  it.each([
    [zone({ type: 'LinearUnit', name: 'foot', conversion_factor: 0.3048 }), 'unit'],
    [zone('metre', 146), 'no known projection'],
    [geographic('NAD83', 'North American Datum 1983'), 'North American Datum 1983'],
    [{ ...GDA94, name: 'GDA2020' }, 'contradicts'],
  ])('is refused with a reason if it is uncertain', (value, why) => {
    expect(() => crsOf(value)).toThrow(why);
  });

  it('has no WKT if it is of another type', () => {
    for (const value of [null, 'x', { type: 'VerticalCRS' }, { type: 'BoundCRS' }])
      expect(wktOfProjJson(value)).toBeNull();
  });
});
