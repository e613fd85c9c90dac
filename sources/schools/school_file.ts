import { readCsvRows } from '../formats/table/csv_rows.ts';
import { bindHeader, orFootnote, tableRows } from '../formats/table/csv_table.ts';
import { bindAliases, requireColumns, type TableLine } from '../formats/table/tabular.ts';
import { findHeaderRow, openWorkbook } from '../formats/table/workbook.ts';
import { RowTally } from '../tally.ts';
import { SCHOOL_FIELD_MAPS, type SchoolFieldMap } from './field_maps.ts';
import { readSchoolRow, type SchoolContext, type SchoolRow } from './school_row.ts';

/** One file found in a schools dataset; survives structured cloning. */
export interface SchoolSource {
  readonly path: string;
  /** Name in messages and row accounts. */
  readonly file: string;
  /** Sheet with the schools; null: a CSV file. */
  readonly sheet: string | null;
}

/** The schools of one file: one row for each, of the year that counts, in file order. */
export interface SchoolFile {
  /** True: the file has coordinates of schools; files without only add figures. */
  readonly hasCoordinates: boolean;
  readonly rows: readonly SchoolRow[];
  readonly tally: RowTally;
}

/** Number of rows at the top of a CSV that are searched for its header. */
const TITLE_ROWS = 10;

/** Yields rows from the header on: the first of the top rows in which a map finds its columns, else the first row. */
async function* fromHeader(
  rows: AsyncIterable<TableLine>,
  isHeader: (cells: readonly string[]) => boolean,
): AsyncGenerator<TableLine> {
  let top: TableLine[] | null = [];
  for await (const row of rows) {
    if (top === null) yield row;
    else if (isHeader(row.cells)) {
      top = null;
      yield row;
    } else if (top.push(row) === TITLE_ROWS) {
      yield* top;
      top = null;
    }
  }
  yield* top ?? [];
}

async function* linesOf(
  source: SchoolSource,
  map: SchoolFieldMap | null,
  signal?: AbortSignal,
): AsyncGenerator<TableLine> {
  const { path, file, sheet } = source;
  if (sheet === null) {
    const rows = readCsvRows(path, file, { signal });
    yield* fromHeader(rows, (cells) => (map === null ? mapOfHeader(cells) !== null : hasSchools(cells, map)));
    return;
  }
  const rows = await (await openWorkbook(path, file)).read(sheet, signal);
  const header = findHeaderRow(rows, [/\S/, /school/i, /\bid\b|number|_no\b/i]);
  yield* header < 0 ? rows : rows.slice(header);
}

/** True for a header with the identifier and name columns of a map. */
function hasSchools(header: readonly string[], { columns }: SchoolFieldMap): boolean {
  const bindings = bindAliases(header, columns);
  return bindings.school_id.length > 0 && bindings.name.length > 0;
}

/** Returns the map whose identifier and name columns are in the header; null: none. */
const mapOfHeader = (header: readonly string[]): SchoolFieldMap | null =>
  Object.values(SCHOOL_FIELD_MAPS).find((map) => hasSchools(header, map)) ?? null;

/** Returns the map that matches most columns of a header, to recognise a file with a renamed column. Ties: ACARA. */
function nearestMap(header: readonly string[]): SchoolFieldMap {
  const boundCount = ({ columns }: SchoolFieldMap): number =>
    Object.values(bindAliases(header, columns)).filter((at) => at.length > 0).length;
  const { acara, ...others } = SCHOOL_FIELD_MAPS;
  return Object.values(others).reduce(
    (best, map) => (boundCount(map) > boundCount(best) ? map : best),
    acara!,
  );
}

/** Settings of a dataset for the columns of its files. */
type SchoolFileOptions = Pick<SchoolContext, 'state'> & { readonly map: SchoolFieldMap | null };

/** Binds the columns of a file; EtlError `missing_column` if it is not a list of schools. */
function bind(
  header: readonly string[],
  file: string,
  requested: SchoolFileOptions,
): Pick<SchoolContext, 'map' | 'positions'> {
  const map = requested.map ?? mapOfHeader(header) ?? nearestMap(header);
  const positions = bindAliases(header, map.columns);
  requireColumns(positions, ['school_id', 'name'], map.columns, header, file);
  if (positions.lon.length > 0 !== positions.lat.length > 0)
    requireColumns(positions, ['lon', 'lat'], map.columns, header, file);
  if (map.ids === 'state' && requested.state === null)
    requireColumns(positions, ['state'], map.columns, header, file);
  return { map, positions };
}

/** Checks the columns in the header of a CSV file; EtlError `missing_column`. A workbook is checked when it is read. */
export async function checkHeader(source: SchoolSource, options: SchoolFileOptions): Promise<void> {
  if (source.sheet !== null) return;
  await bindHeader(linesOf(source, options.map), (header) => bind(header, source.file, options));
}

/**
 * Reads a school list. The row of the configured year counts, else the latest; a school without a row for that year is closed. Of two rows
 * for the same year the first counts. Drops `other_year`, `closed_school`, `duplicate_school`, `footnote`; memory is bounded by the schools, not by the
 * years.
 */
export async function readSchoolFile(
  source: SchoolSource,
  options: { readonly year: number | null } & SchoolFileOptions & Omit<SchoolContext, 'map' | 'positions'>,
  signal?: AbortSignal,
): Promise<SchoolFile> {
  const tally = new RowTally(source.file, 'school');
  const latest = new Map<number, SchoolRow>();
  const point = new Float64Array(2);
  let hasCoordinates = false;
  const rows = tableRows(linesOf(source, options.map, signal), (header) => {
    const context: SchoolContext = { ...options, ...bind(header, source.file, options) };
    hasCoordinates = context.positions.lon.length > 0;
    return context;
  });
  for await (const row of rows) {
    const { line, cells, columns, problem } = row;
    signal?.throwIfAborted();
    if (cells.every((cell) => cell === '')) continue;
    tally.rows_in++;
    const outcome = orFootnote(row, problem ?? readSchoolRow(cells, line, columns, point));
    if ('drop' in outcome) tally.drop(outcome.drop);
    else if ('code' in outcome)
      tally.reject(line, outcome.code, outcome.message, { extent: outcome.extent, area: outcome.area });
    else keepYear(latest, outcome.row, options.year, tally);
  }
  return { hasCoordinates, rows: openIn(latest, tally), tally };
}

function keepYear(
  latest: Map<number, SchoolRow>,
  row: SchoolRow,
  keptYear: number | null,
  tally: RowTally,
): void {
  const before = latest.get(row.school_id);
  if (keptYear !== null && row.year !== null && row.year !== keptYear) tally.drop('other_year');
  else if (before === undefined) latest.set(row.school_id, row);
  else if (before.year === row.year) {
    const { lon, lat, source_no, school_id } = row;
    if (lon === null || lat === null || (lon === before.lon && lat === before.lat))
      tally.drop('duplicate_school');
    else {
      const message = `school ${school_id} is repeated at another place; the first one is kept`;
      tally.reject(source_no, 'duplicate_key', message, { extent: [lon, lat, lon, lat] });
    }
  } else {
    tally.drop('other_year');
    if ((row.year ?? 0) > (before.year ?? 0)) latest.set(row.school_id, row);
  }
}

/** Returns the rows of the latest year of the file; schools without one are closed. */
function openIn(rows: ReadonlyMap<number, SchoolRow>, tally: RowTally): SchoolRow[] {
  let latest = 0;
  for (const { year } of rows.values()) if (year !== null && year > latest) latest = year;
  const open: SchoolRow[] = [];
  for (const row of rows.values()) {
    if (row.year !== null && row.year < latest) tally.drop('closed_school');
    else open.push(row);
  }
  return open.sort((a, b) => a.source_no - b.source_no);
}
