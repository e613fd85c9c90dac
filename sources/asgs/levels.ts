import { EtlError } from '../../schema/errors.ts';
import type { RegionLevel } from '../../schema/records/region.ts';
import { findField } from '../formats/columns.ts';
import type { DbfField } from '../formats/dbf.ts';

/** Column of each attribute of a region record; null: the file has none. */
export interface RegionColumns {
  code: DbfField;
  name: DbfField | null;
  sa1: DbfField | null;
  sa2: DbfField | null;
  sa2_name: DbfField | null;
  sa3: DbfField | null;
  sa3_name: DbfField | null;
  sa4: DbfField | null;
  sa4_name: DbfField | null;
  gccsa: DbfField | null;
  gccsa_name: DbfField | null;
  ste: DbfField | null;
  mb_category: DbfField | null;
  area_sqkm: DbfField | null;
}

/** What the columns of an ABS boundary file say about it. */
export interface RegionFile {
  level: RegionLevel;
  /** Year of the boundaries of the level: an LGA 2024 file also has columns of 2021. */
  year: number;
  /** 3 for 2021 to 2025, 4 from 2026. */
  edition: number;
  columns: RegionColumns;
}

/** Prefixes of code columns: ABS shapefile, ABS GeoPackage and Geoscape spellings. */
const PREFIXES: Readonly<Record<string, RegionLevel>> = {
  MB: 'MB',
  SA1: 'SA1',
  S1: 'SA1',
  SA2: 'SA2',
  S2: 'SA2',
  SA3: 'SA3',
  S3: 'SA3',
  SA4: 'SA4',
  S4: 'SA4',
  GCC: 'GCCSA',
  GCCSA: 'GCCSA',
  GC: 'GCCSA',
  STE: 'STE',
  STATE: 'STE',
  SAL: 'SAL',
  LGA: 'LGA',
  POA: 'POA',
};

/**
 * Finest first. SAL, LGA and POA come before GCCSA and STE, which are parents in their files, and after the statistical
 * areas, which are never parents in them.
 */
const BY_FINENESS: readonly RegionLevel[] = [
  'MB',
  'SA1',
  'SA2',
  'SA3',
  'SA4',
  'SAL',
  'LGA',
  'POA',
  'GCCSA',
  'STE',
];

/** `SA2_CODE21`, `SA2_CODE_2021`, `MB_CODE_26`; and `SA2_21CODE`, `MB21_CODE`. */
const FORMS = [/^([A-Z]+\d?)_(CODE|NAME)_?(?:20)?(\d\d)$/, /^([A-Z]+?\d??)_?(\d\d)_?(CODE|NAME)$/] as const;

interface CodeColumn {
  prefix: string;
  kind: 'CODE' | 'NAME';
  year: number;
  field: DbfField;
}

function parseColumn(field: DbfField): CodeColumn | null {
  const name = field.name.toUpperCase();
  const first = FORMS[0].exec(name);
  if (first !== null)
    return { prefix: first[1]!, kind: first[2] as 'CODE' | 'NAME', year: 2000 + Number(first[3]), field };
  const second = FORMS[1].exec(name);
  if (second !== null)
    return { prefix: second[1]!, kind: second[3] as 'CODE' | 'NAME', year: 2000 + Number(second[2]), field };
  return null;
}

/**
 * Level, year and columns of an ABS boundary file from its column names. The level is the finest one that has a code
 * column. EtlError `unknown_region_level` for a file without one, or of a structure that is not kept (electorates,
 * Indigenous areas, destination zones …), which would otherwise pass for one of its parents.
 */
export function recogniseRegionFile(fields: readonly DbfField[], file: string): RegionFile {
  const columns = fields.map(parseColumn).filter((column) => column !== null);
  const codes = columns.filter((column) => column.kind === 'CODE');
  const foreign = codes.filter((column) => PREFIXES[column.prefix] === undefined && column.prefix !== 'AUS');
  const level = BY_FINENESS.find((each) => codes.some((column) => PREFIXES[column.prefix] === each));
  if (level === undefined || foreign.length > 0) {
    throw new EtlError(
      'unknown_region_level',
      `${file}: not a boundary file of a known ABS level (${foreign.length > 0 ? `it has ${foreign[0]!.field.name}` : 'it has no code column such as SA2_CODE21'}). Its columns are ${fields.map((field) => field.name).join(', ')}. Leave it out of the pattern.`,
      { details: { file } },
    );
  }
  const own = codes.find((column) => PREFIXES[column.prefix] === level)!;
  const year = own.year;
  return { level, year, edition: year >= 2026 ? 4 : 3, columns: columnsOf(columns, fields, level) };
}

function columnsOf(
  columns: readonly CodeColumn[],
  fields: readonly DbfField[],
  level: RegionLevel,
): RegionColumns {
  const of = (wanted: RegionLevel, kind: 'CODE' | 'NAME'): DbfField | null =>
    columns.find((column) => PREFIXES[column.prefix] === wanted && column.kind === kind)?.field ?? null;
  return {
    code: of(level, 'CODE')!,
    name: of(level, 'NAME'),
    sa1: of('SA1', 'CODE'),
    sa2: of('SA2', 'CODE'),
    sa2_name: of('SA2', 'NAME'),
    sa3: of('SA3', 'CODE'),
    sa3_name: of('SA3', 'NAME'),
    sa4: of('SA4', 'CODE'),
    sa4_name: of('SA4', 'NAME'),
    gccsa: of('GCCSA', 'CODE'),
    gccsa_name: of('GCCSA', 'NAME'),
    ste: of('STE', 'CODE'),
    mb_category:
      level === 'MB'
        ? (fields.find((field) => /^MB_?CAT(EGORY)?(_?NAME)?_?(20)?(\d\d)?$/i.test(field.name)) ?? null)
        : null,
    area_sqkm:
      fields.find((field) =>
        /^(AREA_?SQKM|AREA_ALBERS_SQKM|AREA_ALBER|[A-Z]{2}_AR_SQKM)_?(20)?(\d\d)?$/i.test(field.name),
      ) ?? findField(fields, ['AREA_ALBERS_SQKM']),
  };
}
