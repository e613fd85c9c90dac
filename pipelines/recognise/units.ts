import { basename, dirname, join } from 'node:path';

/** Files of a folder that are one delivery. */
export interface Unit {
  /** Path of its file or folder, relative like the files. */
  readonly name: string;
  readonly files: readonly string[];
  /** Whether the configuration names the folder, not its files. */
  readonly is_folder: boolean;
  /** Adapter of the release, by the names of its files; null: the content decides. */
  readonly adapter: 'gnaf' | 'gtfs' | null;
}

const GEODATABASE = /^(.*\.gdb)\//i;
const GNAF_TABLE = /^(?:[A-Z]{2,3}|Authority_Code)_\w+_psv\.psv$/;
const GNAF_FOLDER = /^(Standard|Authority Code)$/i;
const FEED_TABLE = /\.txt$/i;

/** Groups files into units: a file geodatabase, an unzipped G-NAF or GTFS feed is one unit, as is any other file. */
export function fileUnits(files: readonly string[]): Unit[] {
  const feeds = new Set(files.filter((file) => /^stops\.txt$/i.test(basename(file))).map(dirname));
  const units = new Map<string, { unit: Omit<Unit, 'files'>; files: string[] }>();
  for (const file of files) {
    const unit = unitOf(file, feeds);
    const key = `${unit.adapter} ${unit.name}`;
    const existing = units.get(key) ?? { unit, files: [] };
    existing.files.push(file);
    units.set(key, existing);
  }
  return [...units.values()].map(({ unit, files: own }) => ({ ...unit, files: own }));
}

function unitOf(file: string, feeds: ReadonlySet<string>): Omit<Unit, 'files'> {
  const geodatabase = GEODATABASE.exec(file)?.[1];
  if (geodatabase !== undefined) return { name: geodatabase, is_folder: true, adapter: null };
  const folder = dirname(file);
  if (GNAF_TABLE.test(basename(file))) {
    const root = GNAF_FOLDER.test(basename(folder)) ? dirname(folder) : folder;
    return { name: root, is_folder: root !== '.', adapter: 'gnaf' };
  }
  if (FEED_TABLE.test(file) && feeds.has(folder))
    return { name: join(folder, 'stops.txt'), is_folder: false, adapter: 'gtfs' };
  return { name: file, is_folder: false, adapter: null };
}
