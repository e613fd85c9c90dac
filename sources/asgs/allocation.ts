import { EtlError } from '../../schema/errors.ts';
import {
  type meshBlockAllocationRecord as AllocationTable,
  meshBlockAllocationRecord,
} from '../../schema/records/allocation.ts';
import type { RegionLevel } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import type { SourceBatch } from '../adapter.ts';
import { localFile } from '../formats/archive/local_copy.ts';
import { missingColumns } from '../formats/table/columns.ts';
import { readCsvRows } from '../formats/table/csv_rows.ts';
import { bindHeader, type TableRow, tableRows } from '../formats/table/csv_table.ts';
import type { TableLine } from '../formats/table/tabular.ts';
import { findHeaderRow, openWorkbook } from '../formats/table/workbook.ts';
import { MAX_REJECTS, RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import type { AllocationSource } from './allocation_files.ts';
import { editionOf, parseCodeColumn, REGION_PREFIXES } from './levels.ts';

type AllocationRow = Row<typeof AllocationTable>;

const MESH_BLOCK = /^(\d{11}|Z{11})$/;
const LEVEL_COLUMN = /^[A-Z]+\d?_CODE_\d{4}$/i;
const MB_COLUMN = /^MB_?(CODE_?(20)?\d\d|(20)?\d\d_?CODE)$/i;

/** One level that a table allocates mesh blocks to; columns count from 0. */
interface AllocatedLevel {
  readonly level: RegionLevel;
  readonly year: number;
  readonly code: number;
  /** -1: the level has no names. */
  readonly name: number;
}

/** Columns found in the header of an allocation table. */
export interface AllocationColumns {
  readonly meshBlock: number;
  /** Year of the mesh blocks. */
  readonly year: number;
  readonly edition: number;
  readonly levels: readonly AllocatedLevel[];
}

/**
 * Finds the columns of an allocation table by name, such as MB_CODE_2021, SAL_CODE_2021, SAL_NAME_2021. EtlError `missing_column` if it has
 * no mesh blocks, `no_mesh_blocks` for a list of the regions of a level, `unknown_region_level` for a structure that is not kept
 * (electorates …).
 */
export function recogniseAllocation(header: readonly string[], file: string): AllocationColumns {
  const columns = header.map((name, at) => ({ at, ...parseCodeColumn(name) }));
  const meshBlock = columns.find(({ prefix, kind }) => prefix === 'MB' && kind === 'CODE');
  const excerpt = header.join(', ').slice(0, 300);
  if (meshBlock === undefined) {
    const finest = columns.find(({ kind, prefix }) => kind === 'CODE' && prefix !== 'AUS');
    // A table of something else may name the region of each row.
    const isList = columns.filter(({ kind }) => kind !== undefined).length * 2 > header.length;
    if (finest === undefined || !isList)
      throw missingColumns(
        file,
        ['with mesh blocks such as MB_CODE_2021'],
        header,
        'Leave it out of the pattern if it is no allocation of mesh blocks.',
      );
    throw new EtlError(
      'no_mesh_blocks',
      `${file}: it lists the regions of ${finest.prefix} and allocates no mesh blocks to them. Leave it out of the pattern, and configure MB_${finest.year}_AUST.xlsx or the boundaries of ${finest.prefix}.`,
      { details: { file } },
    );
  }
  const levels: AllocatedLevel[] = [];
  for (const { at, prefix, kind, year } of columns) {
    if (kind !== 'CODE' || prefix === 'MB' || prefix === 'AUS') continue;
    const level = REGION_PREFIXES[prefix!];
    if (level === undefined) throw foreign(file, header[at]!);
    const name = columns.findIndex(
      (each) => each.kind === 'NAME' && each.prefix === prefix && each.year === year,
    );
    levels.push({ level, year: year!, code: at, name });
  }
  if (levels.length === 0) throw foreign(file, excerpt);
  return {
    meshBlock: meshBlock.at,
    year: meshBlock.year!,
    edition: editionOf(meshBlock.year!),
    levels: withoutParents(levels),
  };
}

/** Leaves out the state in a file of SAL, LGA or POA: the digits of the mesh block and the main structure state it already. */
function withoutParents(levels: readonly AllocatedLevel[]): readonly AllocatedLevel[] {
  const ownLevels = levels.filter(({ level }) => level === 'SAL' || level === 'LGA' || level === 'POA');
  return ownLevels.length > 0 ? ownLevels : levels;
}

const foreign = (file: string, what: string): EtlError =>
  new EtlError(
    'unknown_region_level',
    `${file}: not an allocation to a known ABS level (it has ${what}). Leave it out of the pattern.`,
    { details: { file } },
  );

/** Reads the rows of the table, header first; in a workbook, the first sheet with mesh blocks. */
async function* linesOf(
  path: string,
  source: AllocationSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<TableLine> {
  if (source.format === 'csv') {
    yield* readCsvRows(path, source.file, { signal });
    return;
  }
  const workbook = await openWorkbook(path, source.file);
  let list: readonly TableLine[] = [];
  for (const sheet of workbook.sheets) {
    const rows = await workbook.read(sheet, signal);
    const header = findHeaderRow(rows, [MB_COLUMN]);
    if (header < 0) {
      const level = findHeaderRow(rows, [LEVEL_COLUMN]);
      if (list.length === 0 && level >= 0) list = rows.slice(level, level + 1);
      continue;
    }
    yield* rows.slice(header);
    return;
  }
  yield* list;
}

/** Reads the columns of a table from its first row. EtlErrors as recogniseAllocation. */
export async function readAllocationHeader(source: AllocationSource): Promise<AllocationColumns> {
  const local = await localFile(source);
  try {
    const lines = linesOf(local.path, source, undefined);
    return await bindHeader(lines, (header) => recogniseAllocation(header, source.file));
  } finally {
    await local.remove();
  }
}

/** Reader of one level of a table, with its own row account: every row of the file becomes a record for each level. */
class LevelReader {
  readonly tally: RowTally;
  readonly #level: AllocatedLevel;
  readonly #columns: AllocationColumns;

  constructor(file: string, level: AllocatedLevel, columns: AllocationColumns) {
    const several = columns.levels.length > 1;
    this.tally = new RowTally(several ? `${file} › ${level.level}` : file, meshBlockAllocationRecord.name);
    this.#level = level;
    this.#columns = columns;
  }

  /** Returns the record of a row; null: the row is rejected or dropped. */
  read({ line, cells, problem }: TableRow<AllocationColumns>): AllocationRow | null {
    this.tally.rows_in++;
    const { level, year, code: codeAt, name: nameAt } = this.#level;
    const meshBlock = cells[this.#columns.meshBlock] ?? '';
    const code = cells[codeAt] ?? '';
    const reject = (reason: string, message: string): null => {
      this.tally.reject(line, reason, message);
      return null;
    };
    if (problem !== null) return reject(problem.code, problem.message);
    if (!MESH_BLOCK.test(meshBlock))
      return reject(
        'bad_mesh_block',
        `mesh block ${JSON.stringify(meshBlock.slice(0, 40))} is not eleven digits`,
      );
    if (code === '') return reject('missing_value', `mesh block ${meshBlock} has no ${level}`);
    this.tally.records++;
    const name = nameAt < 0 ? '' : (cells[nameAt] ?? '');
    const { edition } = this.#columns;
    return {
      load_id: 0,
      source_no: line,
      edition,
      mesh_block: meshBlock,
      level,
      year,
      code,
      name: name === '' ? null : name,
    };
  }
}

/** Reads an allocation table into rows of mesh_block_allocation, with one row account for each level. */
export async function* readAllocation(
  source: AllocationSource,
  signal?: AbortSignal,
): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const local = await localFile(source);
  try {
    let levels: LevelReader[] = [];
    const rows = tableRows(linesOf(local.path, source, signal), (header) => {
      const columns = recogniseAllocation(header, source.file);
      levels = columns.levels.map((level) => new LevelReader(source.file, level, columns));
      return columns;
    });
    const batches = new RowBatches(meshBlockAllocationRecord, null);
    const take = (): SourceBatch => ({
      ...batches.rest(),
      rejects: levels.flatMap(({ tally }) => tally.takeRejects()),
    });
    for await (const row of rows) {
      signal?.throwIfAborted();
      if (row.cells.every((cell) => cell === '')) continue;
      for (const level of levels) {
        const allocation = level.read(row);
        if (allocation !== null) batches.add(allocation);
      }
      if (batches.full || levels.some(({ tally }) => tally.pendingRejects >= MAX_REJECTS)) yield take();
    }
    yield { ...take(), accounts: levels.flatMap(({ tally }) => tally.accounts()) };
  } finally {
    await local.remove();
  }
}
