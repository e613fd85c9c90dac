import type { SampleCrs } from '../crs.ts';
import { SAMPLE_CRS } from '../crs.ts';
import { type DbfField, type DbfValue, date, number, text } from '../formats/dbf_writer.ts';
import type { BlockUse } from '../geography/lot.ts';
import type { StateCode } from '../geography/places.ts';

/** A planning zone: published code and description. */
export type Zone = readonly [code: string, name: string];

/** What a zone row is made of. */
export interface ZoneFacts {
  readonly serial: number;
  readonly zone: Zone;
  readonly lga: string;
  /** False: exhibited but not in force, which must be dropped. */
  readonly in_force: boolean;
}

/** How one state publishes its zones. */
export interface StateZones {
  /** File below planning/, without extension. */
  readonly path: string;
  readonly crs: SampleCrs;
  readonly fields: readonly DbfField[];
  readonly zones: Readonly<Record<BlockUse, Zone>>;
  /** Whether the layer holds features that are not in force. */
  readonly proposals: boolean;
  row(facts: ZoneFacts): DbfValue[];
}

const vic: StateZones = {
  path: 'vic/PLAN_ZONE',
  crs: SAMPLE_CRS.gda94,
  fields: [
    number('PFI', 12),
    text('SCHEMECODE', 8),
    text('LGA_CODE', 3),
    text('LGA', 45),
    number('ZONE_NUM', 7),
    text('ZONESTATUS', 1),
    text('ZONE_CODE', 12),
    text('ZONE_DESC', 100),
    date('GAZ_B_DATE'),
    date('PFI_CR'),
    number('UFI', 12),
    date('UFI_CR'),
  ],
  zones: {
    residential: ['GRZ1', 'GENERAL RESIDENTIAL ZONE - SCHEDULE 1'],
    dense: ['RGZ2', 'RESIDENTIAL GROWTH ZONE - SCHEDULE 2'],
    shops: ['C1Z', 'COMMERCIAL 1 ZONE'],
    industrial: ['IN3Z', 'INDUSTRIAL 3 ZONE'],
    park: ['PPRZ', 'PUBLIC PARK AND RECREATION ZONE'],
    school: ['PUZ2', 'PUBLIC USE ZONE - EDUCATION'],
    rural: ['FZ', 'FARMING ZONE'],
  },
  proposals: true,
  row: ({ serial, zone, lga, in_force }) => [
    3_000_000 + serial,
    'ZN',
    '343',
    lga.toUpperCase(),
    serial % 1000,
    in_force ? 'g' : 'p',
    zone[0],
    zone[1],
    '20141127',
    '20180621',
    15_000_000 + serial,
    '20181120',
  ],
};

const nsw: StateZones = {
  path: 'nsw/EPI_Land_Zoning',
  crs: SAMPLE_CRS.gda94,
  fields: [
    text('EPI_NAME', 120),
    text('LGA_NAME', 60),
    date('PUBLISHED_'),
    date('COMMENCED_'),
    date('CURRENCY_D'),
    text('AMENDMENT', 60),
    text('LAY_CLASS', 60),
    text('SYM_CODE', 10),
    text('PURPOSE', 60),
    text('LEGIS_REF_', 40),
    text('EPI_TYPE', 10),
  ],
  zones: {
    residential: ['R2', 'Low Density Residential'],
    dense: ['R4', 'High Density Residential'],
    shops: ['E1', 'Local Centre'],
    industrial: ['E4', 'General Industrial'],
    park: ['RE1', 'Public Recreation'],
    school: ['SP2', 'Infrastructure'],
    rural: ['RU1', 'Primary Production'],
  },
  proposals: false,
  row: ({ zone, lga }) => [
    `${lga} Local Environmental Plan 2012`,
    lga.toUpperCase(),
    '20230426',
    '20230426',
    '20250930',
    null,
    zone[1],
    zone[0],
    null,
    null,
    'LEP',
  ],
};

const act: StateZones = {
  path: 'act/ACTGOV_TP_LAND_USE_ZONE',
  crs: SAMPLE_CRS.mga2020_55,
  fields: [
    text('LAND_USE_Z', 10),
    text('LAND_USE_P', 60),
    text('DESCRIPTIO', 60),
    text('CURRENT_LI', 12),
    text('DEGAZETTAL', 20),
    number('ID', 10),
  ],
  zones: {
    residential: ['RZ1', 'Suburban'],
    dense: ['RZ5', 'High Density'],
    shops: ['CZ1', 'Core'],
    industrial: ['IZ2', 'Mixed Use'],
    park: ['PRZ1', 'Urban Open Space'],
    school: ['CF', 'Community Facilities'],
    rural: ['NUZ1', 'Broadacre'],
  },
  proposals: true,
  row: ({ serial, zone, in_force }) => [
    zone[0],
    zone[1],
    'checked by the editors',
    in_force ? 'GAZETTED' : 'PROPOSED',
    null,
    70_000 + serial,
  ],
};

/** States whose zoning the sample covers; the others are not covered by any zone. */
export const STATE_ZONES: Readonly<Partial<Record<StateCode, StateZones>>> = { VIC: vic, NSW: nsw, ACT: act };
