import { EtlError } from '../../schema/errors.ts';
import type { RegionLevel } from '../../schema/records/region.ts';
import type { FeatureField } from '../formats/feature.ts';
import { findField } from '../formats/table/columns.ts';

/** Column of each attribute of a region record; null: the file has none. */
interface RegionColumns {
  code: FeatureField;
  name: FeatureField | null;
  sa1: FeatureField | null;
  sa2: FeatureField | null;
  sa2_name: FeatureField | null;
  sa3: FeatureField | null;
  sa3_name: FeatureField | null;
  sa4: FeatureField | null;
  sa4_name: FeatureField | null;
  gccsa: FeatureField | null;
  gccsa_name: FeatureField | null;
  ste: FeatureField | null;
  mb_category: FeatureField | null;
  area_sqkm: FeatureField | null;
}

/** Level, year and columns of an ABS boundary file. */
export interface RegionFile {
  level: RegionLevel;
  /** Year of the boundaries of the level: an LGA 2024 file also has columns of 2021. */
  year: number;
  /** 3 for 2021 to 2025, 4 from 2026. */
  edition: number;
  columns: RegionColumns;
}

/** Levels by the prefixes of code columns: ABS shapefile, ABS GeoPackage and Geoscape spellings. */
export const REGION_PREFIXES: Readonly<Record<string, RegionLevel>> = {
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
 * Levels, finest first. SAL, LGA and POA come before GCCSA and STE, which are parents in their files, and after the statistical areas,
 * which never are.
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

/** Parsed name of a column of codes or names. */
interface CodeName {
  prefix: string;
  kind: 'CODE' | 'NAME';
  year: number;
}

interface CodeColumn extends CodeName {
  field: FeatureField;
}

/**
 * Parses level, kind and year from a column such as `SA2_CODE_2021`, `SA2_NAME21` or `sa2_21code`, in any case; null: not such a column.
 */
export function parseCodeColumn(column: string): CodeName | null {
  const name = column.toUpperCase();
  const first = FORMS[0].exec(name);
  if (first !== null)
    return { prefix: first[1]!, kind: first[2] as 'CODE' | 'NAME', year: 2000 + Number(first[3]) };
  const second = FORMS[1].exec(name);
  if (second !== null)
    return { prefix: second[1]!, kind: second[3] as 'CODE' | 'NAME', year: 2000 + Number(second[2]) };
  return null;
}

/** First year of the boundaries of each edition, the latest first. Source: ABS ASGS. */
const EDITIONS: readonly (readonly [firstYear: number, edition: number])[] = [
  [2026, 4],
  [2021, 3],
  [2016, 2],
  [0, 1],
];

/** Returns the ASGS edition of boundaries of a year: 3 for 2021 to 2025, 4 from 2026. */
export const editionOf = (year: number): number => EDITIONS.find(([first]) => year >= first)![1];

function parseColumn(field: FeatureField): CodeColumn | null {
  const parsed = parseCodeColumn(field.name);
  return parsed === null ? null : { ...parsed, field };
}

/** Returns true for a layer of Australia as a whole, which has only codes of the country. */
export function isAustralia(fields: readonly FeatureField[]): boolean {
  const codes = fields.map(parseColumn).filter((column) => column?.kind === 'CODE');
  return codes.length > 0 && codes.every((column) => column!.prefix === 'AUS');
}

/**
 * Finds level, year and columns of an ABS boundary file from its column names. The level is the finest that has a code column. EtlError
 * `unknown_region_level` for a file without one, or of a structure that is not kept (electorates, Indigenous areas, destination zones …),
 * which would otherwise pass for one of its parents.
 */
export function recogniseRegionFile(fields: readonly FeatureField[], file: string): RegionFile {
  const columns = fields.map(parseColumn).filter((column) => column !== null);
  const codes = columns.filter((column) => column.kind === 'CODE');
  const foreign = codes.filter(
    (column) => REGION_PREFIXES[column.prefix] === undefined && column.prefix !== 'AUS',
  );
  const level = BY_FINENESS.find((each) => codes.some((column) => REGION_PREFIXES[column.prefix] === each));
  if (level === undefined || foreign.length > 0) {
    throw new EtlError(
      'unknown_region_level',
      `${file}: not a boundary file of a known ABS level (${foreign.length > 0 ? `it has ${foreign[0]!.field.name}` : 'it has no code column such as SA2_CODE21'}). Its columns are ${fields.map((field) => field.name).join(', ')}. Leave it out of the pattern.`,
      { details: { file } },
    );
  }
  const ownColumn = codes.find((column) => REGION_PREFIXES[column.prefix] === level)!;
  const year = ownColumn.year;
  return { level, year, edition: editionOf(year), columns: columnsOf(columns, fields, level) };
}

function columnsOf(
  columns: readonly CodeColumn[],
  fields: readonly FeatureField[],
  level: RegionLevel,
): RegionColumns {
  const of = (wantedLevel: RegionLevel, kind: 'CODE' | 'NAME'): FeatureField | null =>
    columns.find((column) => REGION_PREFIXES[column.prefix] === wantedLevel && column.kind === kind)?.field ??
    null;
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
