import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { Table, UntypedRow } from '../../schema/table.ts';
import { parquetFile } from './parquet_file.ts';
import type { RowFile } from './row_file.ts';

/** Columns that files can be partitioned by: texts that many tables have, with few values. */
const PARTITION_COLUMNS: readonly string[] = ['state', 'level'];
/** Maximum rows of a file. */
const PART_ROWS = 1_000_000;
/** Value that readers of Hive partitions take for null. */
const NULL_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** @throws EtlError config_invalid for a column that files are not partitioned by, and for formats other than Parquet */
export function checkPartition(
  { partition = [], format }: { partition?: readonly string[]; format: string },
  tables: readonly Table[],
): void {
  if (partition.length > 0 && format !== 'parquet')
    throw new EtlError('config_invalid', `--partition: ${format} has no partitions. Use --format parquet.`);
  for (const name of partition) {
    if (!PARTITION_COLUMNS.includes(name))
      throw new EtlError(
        'config_invalid',
        `--partition ${name}: choose from ${PARTITION_COLUMNS.join(', ')}.`,
      );
    if (!tables.some(({ columns }) => name in columns))
      throw new EtlError('config_invalid', `--partition ${name}: no exported table has this column.`);
  }
}

/** One written file: path in the export, and rows. */
export interface WrittenPart {
  file: string;
  rows: number;
}

/**
 * Writes a table as Parquet files by Hive partition, such as `sale/state=VIC/part-0.parquet`. Rows must arrive sorted by `levels`. A table
 * without one of these columns has no level for it. One file is open at a time. An empty table is one file with all columns.
 */
export function partitionedFiles(
  out: string,
  table: Table,
  about: Readonly<Record<string, string>>,
  levels: readonly string[],
  partRows = PART_ROWS,
): RowFile & { written: readonly WrittenPart[] } {
  const ownLevels = levels.filter((name) => name in table.columns);
  const written: WrittenPart[] = [];
  let open: { folder: string; part: number; file: RowFile; entry: WrittenPart } | null = null;

  const folderOf = (row: UntypedRow): string => {
    const parts = ownLevels.map((name) => {
      const value = row[name] as string | null;
      return `${name}=${value === null ? NULL_VALUE : encodeURIComponent(value)}`;
    });
    return [table.name, ...parts].join('/');
  };
  const create = (folder: string, part: number, omitted: readonly string[]) => {
    const entry = { file: `${folder}/part-${part}.parquet`, rows: 0 };
    const path = join(out, entry.file);
    mkdirSync(dirname(path), { recursive: true });
    written.push(entry);
    return { folder, part, file: parquetFile(path, table, about, omitted), entry };
  };
  return {
    written,
    async add(rows) {
      for (let from = 0; from < rows.length; ) {
        const folder = folderOf(rows[from]!);
        if (open?.folder !== folder || open.entry.rows >= partRows) {
          await open?.file.end();
          open = create(folder, open?.folder === folder ? open.part + 1 : 0, ownLevels);
        }
        const { file, entry } = open;
        const end = Math.min(rows.length, from + partRows - entry.rows);
        let to = from + 1;
        while (to < end && folderOf(rows[to]!) === folder) to++;
        await file.add(rows.slice(from, to));
        entry.rows += to - from;
        from = to;
      }
    },
    async end() {
      open ??= create(table.name, 0, []);
      await open.file.end();
    },
  };
}
