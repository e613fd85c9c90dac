import { describe, expect, it } from 'vitest';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';

const ZONES = [49, 50, 51, 52, 53, 54, 55, 56];

describe('every CRS in which Australian publishers deliver', () => {
  it.each([
    4283,
    7844,
    4326,
    3857,
    102100,
    3111,
    7899,
    3308,
    8058,
    3107,
    8059,
    3577,
    9473,
    3112,
    7845,
    ...ZONES.map((zone) => 28300 + zone),
    ...ZONES.map((zone) => 7800 + zone),
  ])('EPSG:%i is known in every spelling of its number', (number) => {
    const id = number === 102100 ? 'EPSG:3857' : `EPSG:${number}`;
    for (const text of [
      `EPSG:${number}`,
      `epsg:${number}`,
      `urn:ogc:def:crs:EPSG::${number}`,
      `urn:ogc:def:crs:EPSG:6.9:${number}`,
      `http://www.opengis.net/def/crs/EPSG/0/${number}`,
      `https://www.opengis.net/def/crs/EPSG/9.8/${number}`,
    ])
      expect(recogniseCrs(text, 'x').id, text).toBe(id);
  });

  it.each([
    'OGC:CRS84',
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'urn:ogc:def:crs:OGC::CRS84',
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
  ])('%s is WGS84', (text) => expect(recogniseCrs(text, 'x').id).toBe('EPSG:4326'));

  it.each(['CRS84h', 'OGC:CRS83', 'EPSG:2154', 'http://example.org/EPSG/0/7844', 'EPSG/7844/x'])(
    '%s is refused',
    (text) => expect(() => recogniseCrs(text, 'x')).toThrow('not recognised'),
  );

  const geographic = (name: string, datum: string): string =>
    `GEOGCS["${name}",DATUM["${datum}",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`;
  const mga = (name: string, base: string): string =>
    `PROJCS["${name}",${base},PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",10000000.0],PARAMETER["Central_Meridian",147.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`;
  const vicgrid = (name: string, base: string): string =>
    `PROJCS["${name}",${base},PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",2500000.0],PARAMETER["False_Northing",2500000.0],PARAMETER["Central_Meridian",145.0],PARAMETER["Standard_Parallel_1",-36.0],PARAMETER["Standard_Parallel_2",-38.0],PARAMETER["Latitude_Of_Origin",-37.0],UNIT["Meter",1.0]]`;
  const gda94 = geographic('GCS_GDA_1994', 'D_GDA_1994');
  const gda2020 = geographic('GDA2020', 'D_GDA2020');

  it.each([
    [gda94, 'EPSG:4283'],
    [gda2020, 'EPSG:7844'],
    [geographic('GCS_GDA2020', 'D_GDA2020'), 'EPSG:7844'],
    [geographic('GDA2020', 'GDA2020'), 'EPSG:7844'],
    [geographic('GDA2020', 'Geocentric_Datum_of_Australia_2020'), 'EPSG:7844'],
    [mga('GDA_1994_MGA_Zone_55', gda94), 'EPSG:28355'],
    [mga('GDA2020_MGA_Zone_55', gda2020), 'EPSG:7855'],
    [mga('GDA94 / MGA zone 55', gda94), 'EPSG:28355'],
    [mga('GDA2020 / MGA zone 55', gda2020), 'EPSG:7855'],
    [vicgrid('GDA_1994_VICGRID94', gda94), 'EPSG:3111'],
    [vicgrid('GDA2020_Vicgrid', gda2020), 'EPSG:7899'],
  ])('the text of a .prj %# is %s', (text, id) => expect(recogniseCrs(text, 'x').id).toBe(id));
});
