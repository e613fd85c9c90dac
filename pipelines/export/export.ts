import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { AS_OF_SCHEMA, withAsOf } from '../../store/journal/as_of.ts';
import {
  CANDIDATE_SCHEMA,
  candidatePublication,
  requireCandidate,
  withCandidate,
} from '../../store/journal/candidate.ts';
import { listChanged } from '../../store/journal/changed_since.ts';
import { latestPublication, type Publication, readablePublication } from '../../store/journal/journal.ts';
import { orderedRows } from '../../store/read/ordered_rows.ts';
import { checkFolder, replaceFolder } from '../../store/system/output_path.ts';
import type { Progress } from '../report/progress.ts';
import {
  type DatasetAttribution,
  described,
  type ExportedFile,
  type ExportManifest,
  signingKey,
  sourcesOf,
  writeExportManifest,
} from './export_manifest.ts';
import { hasGeometry } from './exported_geometry.ts';
import { parquetFile } from './parquet_file.ts';
import { checkPartition, partitionedFiles, type WrittenPart } from './partitioned_files.ts';
import { fill, firstOf, type RowFile } from './row_file.ts';
import { csvFile, geoJsonFile } from './text_file.ts';
import { tileFile } from './tiles/tile_file.ts';

export const EXPORT_FORMATS = ['parquet', 'csv', 'geojson', 'pmtiles'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  /** Every serving table. */
  all: readonly Table[];
  /** Null: the latest publication. */
  publication: number | null;
  /** True: the held candidate instead of a publication. */
  candidate?: boolean;
  /** Exports only rows that differ from this publication, each with its change; null: all rows. Only for the latest publication. */
  since: number | null;
  /** Null: every table that the format supports. */
  tables: readonly string[] | null;
  format: ExportFormat;
  /** Parquet only: columns in the paths of the files. Absent: one file for each table. */
  partition?: readonly string[];
  /** A folder, or `s3://bucket/prefix`. */
  out: string;
  /** Settles when an upload must stop. Absent: never. */
  stopped?: () => Promise<void>;
  /** File with a private Ed25519 key; null: the manifest is not signed. */
  signKey: string | null;
  /** CSV only: write texts unchanged, even those that a spreadsheet would run as a formula. */
  rawTexts?: boolean;
  progress: Progress;
}

/** Returns the tables to export. @throws EtlError config_invalid for an unknown table, or one that the format does not support */
function chosen({ all, tables, format }: Pick<ExportOptions, 'all' | 'tables' | 'format'>): readonly Table[] {
  const isPlaced = format === 'geojson' || format === 'pmtiles';
  const holds = (table: Table): boolean => !isPlaced || hasGeometry(table);
  if (tables === null) return all.filter(holds);
  const names = all.map(({ name }) => name);
  return [...new Set(tables)].map((name) => {
    const table: Table | undefined = all.find((each) => each.name === name);
    if (table === undefined)
      throw new EtlError(
        'config_invalid',
        `--tables ${name}: no serving table has that name. Did you mean ${closest(name, names)}?`,
      );
    if (!holds(table))
      throw new EtlError(
        'config_invalid',
        `--tables ${name}: it has no geometry, and ${format} needs one. Take parquet or csv, or one of ${all
          .filter(holds)
          .map((each) => each.name)
          .join(', ')}.`,
      );
    return table;
  });
}

async function publicationOf(client: pg.ClientBase, id: number | null): Promise<Publication> {
  if (id !== null) return readablePublication(client, id);
  const latest = await latestPublication(client);
  if (latest === null) throw new EtlError('unknown_publication', 'Nothing is published.');
  return latest;
}

/** An exported table: `source` has its rows or their changes, written to a file in `folder`. */
interface Exported {
  table: Table;
  source: Table;
  folder: string;
  sources: readonly DatasetAttribution[];
}

const aboutOf = ({ name }: Table, publication: number): Record<string, string> => ({
  table: name,
  publication: String(publication),
});

const fileOf = async (
  { table, source, folder, sources }: Exported,
  name: string,
  options: ExportOptions,
  publication: number,
): Promise<RowFile> => {
  const path = join(folder, name);
  if (options.format === 'csv') return csvFile(path, source, options.rawTexts);
  if (options.format === 'geojson') return geoJsonFile(path, source);
  if (options.format === 'parquet') return parquetFile(path, source, aboutOf(table, publication));
  const attribution = [...new Set(sources.map((each) => each.attribution).filter((each) => each !== null))];
  return tileFile(path, table, source, {
    name: table.name,
    description: table.doc,
    version: String(publication),
    attribution: attribution.join('; '),
  });
};

/** Writes the rows of `source`: the rows of `table` or their changes. Returns the files. */
async function exportTable(
  client: pg.ClientBase,
  exported: Exported,
  options: ExportOptions,
  publication: Publication,
): Promise<ExportedFile[]> {
  const { table, source, folder } = exported;
  const { format, partition = [] } = options;
  const id = publication.publication_id;
  const rowsBefore = publication.tables.find((each) => each.table === table.name)?.rows ?? 0;
  const bar = options.progress.start(`export ${table.name}`, options.since === null ? rowsBefore : 0);
  const schema = options.candidate ? CANDIDATE_SCHEMA : AS_OF_SCHEMA;
  const batches = orderedRows(client, source, schema, firstOf(table, format, partition));
  let written: readonly WrittenPart[];
  if (partition.length > 0) {
    const files = partitionedFiles(folder, source, aboutOf(table, id), partition);
    await fill(files, batches, (n) => bar.done(n));
    written = files.written;
  } else {
    const name = `${table.name}.${format}`;
    const file = await fileOf(exported, name, options, id);
    written = [{ file: name, rows: await fill(file, batches, (n) => bar.done(n)) }];
  }
  bar.end();
  const files: ExportedFile[] = [];
  for (const { file, rows } of written) files.push(await described(folder, table.name, file, rows));
  return files;
}

/**
 * Returns the publication to export. @throws EtlError config_invalid if changes are requested for another publication than the latest, or
 * not since an earlier one
 */
async function exportedPublication(
  client: pg.ClientBase,
  { publication, since, candidate = false }: ExportOptions,
): Promise<{ publication_id: number }> {
  if (candidate) {
    if (publication === null && since === null) return requireCandidate(client);
    throw new EtlError(
      'config_invalid',
      '--candidate is not a publication yet: remove --publication and --since.',
    );
  }
  const publicationRow = await publicationOf(client, publication);
  if (since === null) return publicationRow;
  await readablePublication(client, since);
  const last = (await latestPublication(client))!.publication_id;
  if (publicationRow.publication_id !== last || since >= last)
    throw new EtlError(
      'config_invalid',
      `--since ${since}: give a publication before the last one, which is ${last}.`,
    );
  return publicationRow;
}

/**
 * Writes tables of a publication to a folder with a manifest, completely or not at all. Replaces only an earlier export. Equal content
 * gives equal bytes. An S3 folder gets its manifest last and must be empty or have the same export.
 * @throws EtlError config_invalid, unknown_publication, journal_pruned, output_not_ours, s3_failed
 */
export async function exportTables(client: pg.ClientBase, options: ExportOptions): Promise<ExportManifest> {
  const tables = chosen(options);
  checkPartition(options, tables);
  const { out, stopped = () => new Promise(() => undefined) } = options;
  // The S3 client takes time to load.
  const s3 = out.startsWith('s3:') ? new (await import('./s3_folder.ts')).S3Folder(out) : null;
  try {
    if (s3 === null) await checkFolder(out);
    const key = options.signKey === null ? null : await signingKey(options.signKey);
    const { publication_id: id } = await exportedPublication(client, options);
    await s3?.check(id);
    let manifest: ExportManifest | undefined;
    const make = async (folder: string): Promise<void> => {
      manifest = await writeTables(client, { folder, tables, id, key }, options);
    };
    await (s3 === null ? replaceFolder(out, make) : s3.write(id, make, stopped));
    return manifest!;
  } finally {
    s3?.close();
  }
}

/** What an export writes, and where. */
interface ExportJob {
  folder: string;
  tables: readonly Table[];
  /** Publication. */
  id: number;
  /** Key that signs the manifest; null: it is not signed. */
  key: KeyObject | null;
}

/** Writes the tables of a publication, or their changes up to it, and the manifest. */
async function writeTables(
  client: pg.ClientBase,
  { folder, tables, id, key }: ExportJob,
  options: ExportOptions,
): Promise<ExportManifest> {
  const { since, candidate = false, format, partition = [] } = options;
  let manifest: ExportManifest | undefined;
  const publicationNow = async (): Promise<Publication> => {
    if (candidate) return candidatePublication(client);
    // Changes are read up to the latest publication that this transaction sees.
    return since === null ? readablePublication(client, id) : (await latestPublication(client))!;
  };
  const write = async (): Promise<void> => {
    const publication = await publicationNow();
    const datasets = await sourcesOf(client, publication);
    const files: ExportedFile[] = [];
    for (const table of tables) {
      const source = since === null ? table : await listChanged(client, table, since);
      files.push(
        ...(await exportTable(client, { table, source, folder, sources: datasets }, options, publication)),
      );
    }
    const { publication_id, published_at } = publication;
    const about = { publication: publication_id, published_at, since, format, partitioned_by: partition };
    manifest = await writeExportManifest(folder, { ...about, crs: 'EPSG:7844', files, datasets }, key);
  };
  if (candidate) await withCandidate(client, write);
  else await withAsOf(client, tables, since ?? id, write);
  return manifest!;
}
