import { createHash } from 'node:crypto';
import { basename, dirname, relative, sep } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { recogniseCrs } from '../../transforms/geo/crs.ts';
import type { DatasetConfig, Release } from '../adapter.ts';
import type { ShapefileHeader } from './shapefile.ts';
import { listShapefiles, readShapefileHeader } from './shapefile.ts';

/** Where one shapefile of a release is and how to read it; survives structured cloning. */
export interface ShapefileSource {
  /** Absolute path of the .shp, or of the zip that holds it. */
  readonly path: string;
  /** Path inside the zip; null: not in a zip. */
  readonly member: string | null;
  /** Name in messages, rejects and accounts: the path inside the release. */
  readonly file: string;
  /** CRS to apply: `EPSG:n` or the text of the .prj. */
  readonly crs: string;
}

/** A shapefile found in a release. `id` is its name without folder and extension, longer only where two share it. */
export interface FoundShapefile {
  readonly id: string;
  readonly source: ShapefileSource;
  readonly header: ShapefileHeader;
}

/** The shapefiles of a release, with what an adapter reports of them. */
export interface ShapefileRelease {
  /** In path order; never empty. */
  readonly found: readonly FoundShapefile[];
  readonly crs: Release['crs'];
  readonly notes: string[];
  /** Label where the dataset states none: a date in a file name, else the latest change date of a .dbf, else a hash. */
  readonly label: string;
}

/** Names of the layers to read (file names without folder and extension, any case); null: all. */
export type Layers = readonly string[] | null;

/** The option by which a dataset whose files hold more than what is wanted names its layers. */
export const layersOption = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .nullish()
  .transform((names): Layers => (names == null ? null : [names].flat()));

/**
 * Finds every shapefile among the files of a dataset, plain or zipped, and settles the CRS of each from its headers.
 * EtlError: `missing_file` where there is none, `missing_crs` for a .prj that is missing and not made up for by the
 * configuration, `unknown_crs`, and those of openShapefile.
 */
export async function findShapefiles(dataset: DatasetConfig, layers: Layers): Promise<ShapefileRelease> {
  const paths = dataset.files.map((file) => file.path);
  const all = await locate(paths, commonFolder(paths));
  const located = all.filter((each) => isWanted(each.file, layers));
  if (all.length > 0 && located.length === 0) {
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: none of its shapefiles (${all.map((each) => each.file).join(', ')}) is a layer ${layers?.join(', ')}. Check the option layers.`,
      { details: { dataset: dataset.id } },
    );
  }
  if (located.length === 0) {
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: no .shp and no .zip among its ${paths.length} files. Check the configured pattern.`,
      { details: { dataset: dataset.id, files: paths.slice(0, 20) } },
    );
  }
  const notes = all
    .filter((each) => !located.includes(each))
    .map((each) => `${each.file} is not one of the layers and is left out.`);
  const stated = new Set<string>();
  const applied = new Set<string>();
  const found: FoundShapefile[] = [];
  for (const { path, member, file } of located) {
    const header = await readShapefileHeader(path, { file, member: member ?? undefined });
    const crs = settleCrs(header.prj, dataset.crs, file, notes);
    if (crs.stated !== null) stated.add(crs.stated);
    applied.add(crs.applied);
    noteUnlisted(header, paths, file, notes);
    found.push({ id: partId(file, located), source: { path, member, file, crs: crs.text }, header });
  }
  const join = (ids: Set<string>) => [...ids].sort().join(', ');
  return {
    found,
    crs: {
      applied: join(applied),
      stated: stated.size === 0 ? null : join(stated),
      overridden: dataset.crs !== null && join(stated) !== join(applied),
    },
    notes,
    label: labelOf(dataset, found),
  };
}

function isWanted(file: string, layers: Layers): boolean {
  const stem = stemOf(file).toLowerCase();
  return layers === null || layers.some((layer) => layer.toLowerCase() === stem);
}

type Located = Pick<ShapefileSource, 'path' | 'member' | 'file'>;

async function locate(paths: readonly string[], root: string): Promise<Located[]> {
  const located: Located[] = [];
  for (const path of paths) {
    if (!/\.(shp|zip)$/i.test(path)) continue;
    const name = relative(root, path).split(sep).join('/');
    for (const member of await listShapefiles(path)) {
      located.push({ path, member, file: member === null ? name : `${name} › ${member}` });
    }
  }
  return located;
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? '.');
  while (!paths.every((path) => path.startsWith(folder === sep ? sep : folder + sep))) {
    if (dirname(folder) === folder) return folder;
    folder = dirname(folder);
  }
  return folder;
}

const stemOf = (file: string): string => basename(file).replace(/\.shp$/i, '');

function partId(file: string, located: readonly Located[]): string {
  const stem = stemOf(file);
  return located.filter((each) => stemOf(each.file) === stem).length === 1
    ? stem
    : file.replace(/\.shp$/i, '');
}

/** The configuration wins over the .prj, and every disagreement is a sentence in the run report. */
function settleCrs(prj: string | null, configured: string | null, file: string, notes: string[]) {
  if (configured !== null) {
    const applied = recogniseCrs(configured, 'the configured crs');
    const stated = statedName(prj, file);
    if (stated !== applied.id) {
      notes.push(`CRS of ${file}: stated ${stated ?? 'none'}, configured ${applied.id} is applied.`);
    }
    return { text: configured, applied: applied.id, stated };
  }
  if (prj === null) {
    throw new EtlError(
      'missing_crs',
      `${file}: there is no .prj, so its CRS is not known. Deliver the .prj, or state the crs of the dataset, for example EPSG:7844.`,
      { details: { file } },
    );
  }
  const crs = recogniseCrs(prj, file);
  if (crs.datum === 'WGS84') notes.push(`CRS of ${file}: ${crs.id} (WGS84) is taken as GDA2020.`);
  return { text: prj, applied: crs.id, stated: crs.id };
}

/** What a .prj states, for the report; a text that is not recognised is quoted. */
function statedName(prj: string | null, file: string): string | null {
  if (prj === null) return null;
  try {
    return recogniseCrs(prj, file).id;
  } catch {
    return JSON.stringify(prj.trim().slice(0, 60));
  }
}

/** A file that is read but not listed is not part of the fingerprint: a change of it alone would go unnoticed. */
function noteUnlisted(
  header: ShapefileHeader,
  paths: readonly string[],
  file: string,
  notes: string[],
): void {
  const unlisted = header.paths.filter((path) => !paths.includes(path));
  if (unlisted.length === 0) return;
  const names = unlisted.map((path) => basename(path)).join(', ');
  notes.push(
    `${file}: ${names} is read but is not among the configured files; widen the pattern so that a change of it is noticed.`,
  );
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
/** A month by its name or first three letters, and a year: `NOV25`, `August 2026`. */
const MONTH_YEAR = new RegExp(
  `(?<![a-z])(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')})[-_ ]?(?:20)?(\\d\\d)(?!\\d)`,
  'i',
);

function dateInName(name: string): string | null {
  const ymd = /(?<!\d)(20\d\d)[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)/.exec(name);
  if (ymd !== null) return `${ymd[1]}-${ymd[2]}-${ymd[3]}`;
  const month = MONTH_YEAR.exec(name);
  if (month === null) return null;
  const number = 1 + MONTHS.findIndex((each) => each.startsWith(month[1]!.slice(0, 3).toLowerCase()));
  return `20${month[2]}-${String(number).padStart(2, '0')}`;
}

function labelOf(dataset: DatasetConfig, found: readonly FoundShapefile[]): string {
  const named = found.map((each) => dateInName(each.source.file)).filter((date) => date !== null);
  const changed = found.map((each) => each.header.dbf.changed).filter((date) => date !== null);
  const date = named.sort().at(-1) ?? changed.sort().at(-1);
  if (date !== undefined) return date;
  const hash = createHash('sha256');
  for (const file of dataset.files) hash.update(file.sha256);
  return `files ${hash.digest('hex').slice(0, 12)}`;
}
