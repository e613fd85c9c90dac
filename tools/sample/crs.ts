import proj4 from 'proj4';
import { gda2020ToGda94 } from './gda94.ts';

/** A CRS that a sample file is written in: the text of its .prj and the way from GDA2020 degrees, in place. */
export interface SampleCrs {
  readonly id: string;
  readonly prj: string;
  fromGda2020(coords: Float64Array): void;
}

const SPHEROID = 'SPHEROID["GRS_1980",6378137.0,298.257222101]';
const DEGREE = 'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]';
const GEOGCS_94 = `GEOGCS["GCS_GDA_1994",DATUM["D_GDA_1994",${SPHEROID}],${DEGREE}]`;
const GEOGCS_2020 = `GEOGCS["GDA2020",DATUM["GDA2020",${SPHEROID}],${DEGREE}]`;

/** Map Grid of Australia, a UTM of GRS80. `name` and `geogcs` choose the datum. */
function mga(
  id: string,
  zone: number,
  name: string,
  geogcs: string,
  toDatum: SampleCrs['fromGda2020'],
): SampleCrs {
  const utm = proj4(`+proj=utm +zone=${zone} +south +ellps=GRS80 +units=m +no_defs`);
  const parameters = [
    ['False_Easting', '500000.0'],
    ['False_Northing', '10000000.0'],
    ['Central_Meridian', `${zone * 6 - 183}.0`],
    ['Scale_Factor', '0.9996'],
    ['Latitude_Of_Origin', '0.0'],
  ].map(([key, value]) => `PARAMETER["${key}",${value}]`);
  return {
    id,
    prj: `PROJCS["${name}",${geogcs},PROJECTION["Transverse_Mercator"],${parameters.join(',')},UNIT["Meter",1.0]]`,
    fromGda2020(coords) {
      toDatum(coords);
      for (let i = 0; i < coords.length; i += 2) {
        const [east, north] = utm.forward([coords[i]!, coords[i + 1]!]);
        coords[i] = east!;
        coords[i + 1] = north!;
      }
    },
  };
}

const none = (): void => {};

/** The CRSs of the sample files; projected ones carry the ESRI names. */
export const SAMPLE_CRS = {
  gda2020: { id: 'EPSG:7844', prj: GEOGCS_2020, fromGda2020: none },
  gda94: { id: 'EPSG:4283', prj: GEOGCS_94, fromGda2020: gda2020ToGda94 },
  mga94_55: mga('EPSG:28355', 55, 'GDA_1994_MGA_Zone_55', GEOGCS_94, gda2020ToGda94),
  mga2020_55: mga('EPSG:7855', 55, 'GDA2020_MGA_Zone_55', GEOGCS_2020, none),
  mga2020_50: mga('EPSG:7850', 50, 'GDA2020_MGA_Zone_50', GEOGCS_2020, none),
} as const satisfies Record<string, SampleCrs>;
