import { join } from 'node:path';
import { SAMPLE_CRS } from '../crs.ts';
import type { DbfValue } from '../formats/dbf_writer.ts';
import { type Rings, ShapefileWriter } from '../formats/shapefile_writer.ts';
import { ASGS_FIELDS, type Chain, LEVELS, type Level, type Parent, uriOf, yearOf } from './fields.ts';
import { specialRegions } from './special.ts';

const AUSTRALIA: readonly DbfValue[] = ['AUS', 'Australia'];
const CHANGE: readonly DbfValue[] = ['0', 'No change'];

/** A region to be written; `chain` holds its own entry and those above it, as far as its level has them. */
export interface RegionRow {
  readonly level: Level;
  readonly code: string;
  readonly name: string;
  readonly area_sqkm: number;
  readonly chain: Partial<Chain>;
  /** Mesh blocks only. */
  readonly category?: string;
  readonly sa1?: string;
}

/** Name of a level's shapefile, without extension. */
export const asgsFile = (level: Level): string => `${level}_${yearOf(level)}_AUST_GDA2020`;

/** Streams the ABS boundary files of every level, national, in GDA2020 degrees. */
export class AsgsWriter {
  private readonly files: Readonly<Record<Level, ShapefileWriter>>;

  constructor(folder: string) {
    this.files = Object.fromEntries(
      LEVELS.map((level) => [
        level,
        new ShapefileWriter(join(folder, asgsFile(level)), ASGS_FIELDS[level], SAMPLE_CRS.gda2020.prj),
      ]),
    ) as Record<Level, ShapefileWriter>;
  }

  write(shape: Rings, region: RegionRow): void {
    const area = [region.area_sqkm, uriOf(region.level, region.code)];
    this.files[region.level].write(shape, [...leading(region), ...AUSTRALIA, ...area]);
  }

  /** Features of each level so far. */
  counts(): Record<Level, number> {
    return Object.fromEntries(LEVELS.map((level) => [level, this.files[level].count])) as Record<
      Level,
      number
    >;
  }

  /** Adds the codes without a shape and closes the files. */
  close(): void {
    for (const level of LEVELS) {
      for (const { code, name, above, ste } of specialRegions(level)) {
        const own: DbfValue[] =
          level === 'MB' ? [code, name, ...CHANGE, code] : level === 'SA1' ? [code, ...CHANGE] : [code, name];
        const changed =
          level === 'SA2' || level === 'SA3' || level === 'SA4' || level === 'GCCSA' || level === 'STE'
            ? CHANGE
            : [];
        const state = level === 'POA' || level === 'STE' ? [] : [ste.code, ste.name];
        const parents = above.flatMap((parent) => [parent.code, parent.name]);
        const australia = code.startsWith('Z') ? ['ZZZ', 'Outside Australia'] : AUSTRALIA;
        this.files[level].write(null, [
          ...own,
          ...changed,
          ...parents,
          ...state,
          ...australia,
          null,
          uriOf(level, code),
        ]);
      }
      this.files[level].close();
    }
  }
}

/** Values before AUS_CODE21, in the order of ASGS_FIELDS. */
function leading({ level, code, name, chain, category, sa1 }: RegionRow): DbfValue[] {
  const up = (...parents: (Parent | undefined)[]): DbfValue[] =>
    parents.flatMap((parent) => [parent?.code ?? null, parent?.name ?? null]);
  const { sa2, sa3, sa4, gccsa, ste } = chain;
  switch (level) {
    case 'MB':
      return [code, category ?? null, ...CHANGE, sa1 ?? null, ...up(sa2, sa3, sa4, gccsa, ste)];
    case 'SA1':
      return [code, ...CHANGE, ...up(sa2, sa3, sa4, gccsa, ste)];
    case 'SA2':
      return [code, name, ...CHANGE, ...up(sa3, sa4, gccsa, ste)];
    case 'SA3':
      return [code, name, ...CHANGE, ...up(sa4, gccsa, ste)];
    case 'SA4':
      return [code, name, ...CHANGE, ...up(gccsa, ste)];
    case 'GCCSA':
      return [code, name, ...CHANGE, ...up(ste)];
    case 'STE':
      return [code, name, ...CHANGE];
    case 'POA':
      return [code, name];
    default:
      return [code, name, ...up(ste)];
  }
}
