import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import proj4 from 'proj4';
import { describe, expect, it } from 'vitest';
import { EtlError } from '../../../schema/errors.ts';
import { gda2020ToGda94 } from '../../../tools/sample/gda94.ts';
import { type Crs, recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';
import { KNOWN_CRS, projString } from '../../../transforms/geo/crs_table.ts';
import { haveYarra } from '../property/yarra_parcels.ts';

const GRS80 = 'SPHEROID["GRS_1980",6378137.0,298.257222101]';
const TAIL = 'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
const GDA94 = `GEOGCS["GCS_GDA_1994",DATUM["D_GDA_1994",${GRS80}],${TAIL}`;
const GDA2020 = `GEOGCS["GCS_GDA2020",DATUM["D_GDA2020",${GRS80}],${TAIL}`;
const WGS84 = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],${TAIL}`;
const esri = (
  name: string,
  base: string,
  method: string,
  parameters: Record<string, number>,
  unit = 'UNIT["Meter",1.0]',
) =>
  `PROJCS["${name}",${base},PROJECTION["${method}"],${Object.entries(parameters)
    .map(([k, v]) => `PARAMETER["${k}",${v}]`)
    .join(',')},${unit}]`;
const mga = (zone: number) => ({
  False_Easting: 500000,
  False_Northing: 10000000,
  Central_Meridian: zone * 6 - 183,
  Scale_Factor: 0.9996,
  Latitude_Of_Origin: 0,
});
const conic = (lon0: number, lat0: number, sp1: number, sp2: number, x0: number, y0: number) => ({
  False_Easting: x0,
  False_Northing: y0,
  Central_Meridian: lon0,
  Standard_Parallel_1: sp1,
  Standard_Parallel_2: sp2,
  Latitude_Of_Origin: lat0,
});
const TM = 'Transverse_Mercator';
const LCC = 'Lambert_Conformal_Conic';

const OGC_GDA2020 =
  'GEOGCS["GDA2020",DATUM["Geocentric_Datum_of_Australia_2020",SPHEROID["GRS 1980",6378137,298.257222101,AUTHORITY["EPSG","7019"]],AUTHORITY["EPSG","1168"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","7844"]]';
const OGC_MGA55 = `PROJCS["GDA94 / MGA zone 55",GEOGCS["GDA94",DATUM["Geocentric_Datum_of_Australia_1994",SPHEROID["GRS 1980",6378137,298.257222101],TOWGS84[0,0,0,0,0,0,0]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4283"]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",147],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",10000000],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AXIS["Northing",NORTH],AUTHORITY["EPSG","28355"]]`;
const WKT2_MGA55 = `PROJCRS["GDA2020 / MGA zone 55",BASEGEOGCRS["GDA2020",DATUM["Geocentric Datum of Australia 2020",ELLIPSOID["GRS 1980",6378137,298.257222101,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],ID["EPSG",7844]],CONVERSION["Map Grid of Australia zone 55",METHOD["Transverse Mercator",ID["EPSG",9807]],PARAMETER["Latitude of natural origin",0,ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",8801]],PARAMETER["Longitude of natural origin",147,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Scale factor at natural origin",0.9996,SCALEUNIT["unity",1]],PARAMETER["False easting",500000,LENGTHUNIT["metre",1]],PARAMETER["False northing",10000000,LENGTHUNIT["metre",1]]],CS[Cartesian,2],AXIS["(E)",east,ORDER[1],LENGTHUNIT["metre",1]],AXIS["(N)",north,ORDER[2],LENGTHUNIT["metre",1]],USAGE[SCOPE["Engineering survey."],AREA["Australia."],BBOX[-50.89,144,-9.23,150.01]],ID["EPSG",7855]]`;
const WKT2_WEB = `PROJCRS["WGS 84 / Pseudo-Mercator",BASEGEOGCRS["WGS 84",ENSEMBLE["World Geodetic System 1984 ensemble",MEMBER["World Geodetic System 1984 (Transit)"],ELLIPSOID["WGS 84",6378137,298.257223563],ENSEMBLEACCURACY[2.0]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],ID["EPSG",4326]],CONVERSION["Popular Visualisation Pseudo-Mercator",METHOD["Popular Visualisation Pseudo Mercator",ID["EPSG",1024]],PARAMETER["Latitude of natural origin",0],PARAMETER["Longitude of natural origin",0],PARAMETER["False easting",0],PARAMETER["False northing",0]],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["metre",1],ID["EPSG",3857]]`;

describe('recogniseCrs', () => {
  it.each([
    ['EPSG:7844', 'EPSG:7844'],
    ['epsg:28355', 'EPSG:28355'],
    ['urn:ogc:def:crs:EPSG::3111', 'EPSG:3111'],
    ['ESRI:102100', 'EPSG:3857'],
    [GDA94, 'EPSG:4283'],
    [`\uFEFF${GDA2020}\r\n`, 'EPSG:7844'],
    [`GEOGCS["GDA2020",DATUM["GDA2020",${GRS80}],${TAIL}`, 'EPSG:7844'],
    [
      `GEOGCS["GDA2020",DATUM["D_GDA2020",${GRS80}],${TAIL.replace(/]$/, '')},AUTHORITY["EPSG",7844]]`,
      'EPSG:7844',
    ],
    [OGC_GDA2020, 'EPSG:7844'],
    [WGS84, 'EPSG:4326'],
    [OGC_MGA55, 'EPSG:28355'],
    [WKT2_MGA55, 'EPSG:7855'],
    [WKT2_WEB, 'EPSG:3857'],
    [
      `COMPD_CS["both",${OGC_MGA55},VERT_CS["AHD height",VERT_DATUM["Australian Height Datum",2005]]]`,
      'EPSG:28355',
    ],
    [
      `${esri('GDA_1994_MGA_Zone_55', GDA94, TM, mga(55))},VERTCS["AHD",VDATUM["AHD"],PARAMETER["Direction",1.0],UNIT["Meter",1.0]]\n`,
      'EPSG:28355',
    ],
    [esri('GDA_1994_MGA_Zone_49', GDA94, TM, mga(49)), 'EPSG:28349'],
    [esri('GDA2020_MGA_Zone_56', GDA2020, TM, mga(56)), 'EPSG:7856'],
    [esri('GDA_1994_VICGRID94', GDA94, LCC, conic(145, -37, -36, -38, 2500000, 2500000)), 'EPSG:3111'],
    [esri('GDA2020_Vicgrid', GDA2020, LCC, conic(145, -37, -38, -36, 2500000, 2500000)), 'EPSG:7899'],
    [
      esri(
        'GDA_1994_New_South_Wales_Lambert',
        GDA94,
        LCC,
        conic(147, -33.25, -30.75, -35.75, 9300000, 4500000),
      ),
      'EPSG:3308',
    ],
    [
      esri('GDA2020_NSW_Lambert', GDA2020, LCC, conic(147, -33.25, -30.75, -35.75, 9300000, 4500000)),
      'EPSG:8058',
    ],
    [
      esri('GDA_1994_South_Australia_Lambert', GDA94, LCC, conic(135, -32, -28, -36, 1000000, 2000000)),
      'EPSG:3107',
    ],
    [esri('GDA2020_SA_Lambert', GDA2020, LCC, conic(135, -32, -28, -36, 1000000, 2000000)), 'EPSG:8059'],
    [esri('GDA_1994_Geoscience_Australia_Lambert', GDA94, LCC, conic(134, 0, -18, -36, 0, 0)), 'EPSG:3112'],
    [esri('GDA2020_GA_LCC', GDA2020, LCC, conic(134, 0, -18, -36, 0, 0)), 'EPSG:7845'],
    [esri('GDA_1994_Australia_Albers', GDA94, 'Albers', conic(132, 0, -18, -36, 0, 0)), 'EPSG:3577'],
    [
      esri('GDA2020_Australian_Albers', GDA2020, 'Albers_Conic_Equal_Area', conic(132, 0, -18, -36, 0, 0)),
      'EPSG:9473',
    ],
    [
      esri('WGS_1984_Web_Mercator_Auxiliary_Sphere', WGS84, 'Mercator_Auxiliary_Sphere', {
        False_Easting: 0,
        False_Northing: 0,
        Central_Meridian: 0,
        Standard_Parallel_1: 0,
        Auxiliary_Sphere_Type: 0,
      }),
      'EPSG:3857',
    ],
  ])('text %#', (text, id) => {
    expect(recogniseCrs(text, 'a.prj').id).toBe(id);
  });

  it.each([
    ['nothing', ''],
    ['another word', 'LOCAL_CS["site grid"]'],
    ['an unknown number', 'EPSG:32755'],
    ['a cut text', GDA94.slice(0, -2)],
    ['text after the end', `${GDA94} x`],
    ['no bracket', 'GDA94'],
    ['AGD66', GDA94.replace('GCS_GDA_1994', 'GCS_AGD66').replace('D_GDA_1994', 'D_Australian_1966')],
    ['another ellipsoid', GDA94.replace('6378137.0', '6378160.0')],
    ['another meridian', GDA94.replace('"Greenwich",0.0', '"Paris",2.337')],
    ['degrees that are grads', GDA94.replace('0.0174532925199433', '0.015707963267949')],
    ['a name on the other datum', esri('GDA2020_MGA_Zone_55', GDA94, TM, mga(55))],
    ['a zone that is not its meridian', esri('GDA_1994_MGA_Zone_54', GDA94, TM, mga(55))],
    ['a meridian of no zone', esri('GDA_1994_Local', GDA94, TM, { ...mga(55), Central_Meridian: 146 })],
    ['another scale', esri('GDA_1994_MGA_Zone_55', GDA94, TM, { ...mga(55), Scale_Factor: 1 })],
    ['no parameters', esri('GDA_1994_MGA_Zone_55', GDA94, TM, {})],
    ['another false easting', esri('V', GDA94, LCC, conic(145, -37, -36, -38, 500000, 2500000))],
    ['feet', esri('GDA_1994_MGA_Zone_55', GDA94, TM, mga(55), 'UNIT["Foot",0.3048]')],
    ['two systems of the plane', `${OGC_MGA55},${OGC_MGA55}`],
    ['a number that is not what it describes', OGC_MGA55.replace('"28355"', '"28354"')],
    ['an unknown projection', esri('GDA_1994_x', GDA94, 'Krovak', mga(55))],
    ['deep nesting', 'A['.repeat(100)],
  ])('refuses %s', (_, text) => {
    const error = (() => {
      try {
        recogniseCrs(text, 'lots/parcels.prj');
      } catch (e) {
        return e;
      }
      return null;
    })() as EtlError;
    expect(error).toBeInstanceOf(EtlError);
    expect(error.code).toBe('unknown_crs');
    expect(error.message).toContain('lots/parcels.prj');
    expect(error.message).toContain(text.slice(0, 20).replaceAll('"', '\\"'));
  });
});

/** Inverse of `toGda2020`: GDA2020 degrees to the coordinates of a CRS, in place. */
function fromGda2020(crs: Crs): (coords: Float64Array) => void {
  const { projection, datum } = KNOWN_CRS.find(({ epsg }) => crs.id === `EPSG:${epsg}`)!;
  const project = projection === null ? null : proj4(projString(projection));
  return (coords) => {
    if (datum === 'GDA94') gda2020ToGda94(coords);
    if (project === null) return;
    for (let i = 0; i < coords.length; i += 2) {
      const [x, y] = project.forward([coords[i]!, coords[i + 1]!]) as [number, number];
      coords[i] = x;
      coords[i + 1] = y;
    }
  };
}

describe('toGda2020', () => {
  const sydney94 = [151.2093, -33.8688];
  const sydney20 = [151.20930543, -33.868787317];

  it.each(KNOWN_CRS.map((crs) => [`EPSG:${crs.epsg}`, crs] as const))(
    '%s returns to where it came from',
    (id, known) => {
      const crs = recogniseCrs(id, 'x');
      expect(crs).toMatchObject({ id, datum: known.datum, projected: known.projection !== null });
      const lon0 = known.projection?.lon0 || 145;
      const start = [lon0 - 2.5, -37.8, lon0 + 2.9, -12.4, lon0, -43];
      const coords = Float64Array.from(start);
      fromGda2020(crs)(coords);
      if (crs.projected) expect(Math.max(...coords.map(Math.abs))).toBeGreaterThan(100_000);
      toGda2020(crs)(coords);
      coords.forEach((v, i) => {
        expect(Math.abs(v - start[i]!)).toBeLessThan(1e-10);
      });
    },
  );

  it('shifts GDA94, and leaves GDA2020 and WGS84 unchanged', () => {
    for (const [id, expected] of [
      ['EPSG:4283', sydney20],
      ['EPSG:7844', sydney94],
      ['EPSG:4326', sydney94],
    ] as const) {
      const coords = Float64Array.from(sydney94);
      toGda2020(recogniseCrs(id, 'x'))(coords);
      expect(Math.abs(coords[0]! - expected[0]!)).toBeLessThan(1e-9);
      expect(Math.abs(coords[1]! - expected[1]!)).toBeLessThan(1e-9);
    }
  });

  it('moves a projected GDA94 position by the same shift', () => {
    const projected = Float64Array.from(sydney94);
    // GDA94 / MGA zone 56 differs from GDA2020 / MGA zone 56 only in the datum: project without a shift
    fromGda2020(recogniseCrs('EPSG:7856', 'x'))(projected);
    toGda2020(recogniseCrs('EPSG:28356', 'x'))(projected);
    expect(Math.abs(projected[0]! - sydney20[0]!)).toBeLessThan(1e-9);
    expect(Math.abs(projected[1]! - sydney20[1]!)).toBeLessThan(1e-9);
  });

  it.each([
    // published worked example: Flinders Peak, GDA2020 and MGA2020 zone 55
    ['EPSG:7855', 273741.297, 5796489.777, 144 + 25 / 60 + 29.52442 / 3600, -(37 + 57 / 60 + 3.7203 / 3600)],
    // the false origin of VicGrid and of the other conic grids
    ['EPSG:7899', 2500000, 2500000, 145, -37],
    ['EPSG:8058', 9300000, 4500000, 147, -33.25],
    ['EPSG:8059', 1000000, 2000000, 135, -32],
    ['EPSG:7845', 0, 0, 134, 0],
    ['EPSG:9473', 0, 0, 132, 0],
    [
      'EPSG:3857',
      6378137 * (145 / 180) * Math.PI,
      6378137 * Math.log(Math.tan(((45 - 37.8 / 2) * Math.PI) / 180)),
      145,
      -37.8,
    ],
  ])('un-projects %s', (id, x, y, lon, lat) => {
    const coords = Float64Array.of(x, y);
    toGda2020(recogniseCrs(id, 'x'))(coords);
    expect(Math.abs(coords[0]! - lon)).toBeLessThan(1e-8);
    expect(Math.abs(coords[1]! - lat)).toBeLessThan(1e-8);
  });

  it('gives NaN for what cannot be un-projected', () => {
    const coords = Float64Array.of(Number.NaN, 5_000_000, Infinity, 0);
    toGda2020(recogniseCrs('EPSG:28355', 'x'))(coords);
    expect(Number.isFinite(coords[0]! + coords[1]!)).toBe(false);
    expect(Number.isFinite(coords[2]! + coords[3]!)).toBe(false);
  });
});

describe.skipIf(!haveYarra)('published files', () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../../../shared/data/yarra/${name}`, import.meta.url), 'utf8');

  it.each([
    ['cadastre/yarra_parcels.prj', 'EPSG:4326'],
    ['planning/VMPLAN/PLAN_ZONE.prj', 'EPSG:4283'],
    ['asgs/SA2_2021_AUST_GDA94.prj', 'EPSG:4283'],
    ['asgs/SA1_2021_derived_GDA2020.prj', 'EPSG:7844'],
    ['transport/ptv_stops/PTV_METRO_TRAM_STOP.prj', 'EPSG:7844'],
  ])('%s is %s', (name, id) => {
    expect(recogniseCrs(read(name), name).id).toBe(id);
  });

  it('places with both VicGrid metres and degrees agree', () => {
    const rows = parse(read('places/vicnames_GNR_cleaned.csv'), {
      columns: true,
      bom: true,
      relax_quotes: true,
    }) as {
      LONGITUDE: string;
      LATITUDE: string;
      geometry: string;
    }[];
    const coords = Float64Array.from(rows.flatMap((row) => row.geometry.match(/[0-9.]+/g)!.map(Number)));
    toGda2020(recogniseCrs('EPSG:7899', 'x'))(coords);
    rows.forEach((row, i) => {
      // published with four and three decimals, cut off
      if (Math.abs(coords[i * 2]! - Number(row.LONGITUDE)) > 1e-4) expect.fail(`longitude of row ${i}`);
      if (Math.abs(coords[i * 2 + 1]! - Number(row.LATITUDE)) > 1e-3) expect.fail(`latitude of row ${i}`);
    });
    expect(rows.length).toBeGreaterThan(32_000);
  });
});
