import { type CensusLevel, censusCountRecord, censusRegionRecord } from '../../schema/records/census.ts';
import type { Row } from '../../schema/table.ts';
import type { InputAccount, RecordBatch, SourceBatch } from '../adapter.ts';
import { readMember } from '../formats/archive/zip.ts';
import { type RowCursor, readDelimited } from '../formats/table/delimited.ts';
import { RowTally } from '../tally.ts';
import type { BoundFile } from './bind.ts';
import { FIGURE_NAMES, FIGURES } from './figures.ts';
import { RegionTable } from './region_table.ts';

type CountRow = Row<typeof censusCountRecord>;

/** One level of one Census, as a part to read. Survives structured cloning. */
export interface CensusPart {
  readonly year: number;
  readonly level: CensusLevel;
  readonly files: readonly BoundFile[];
}

const BATCH_ROWS = 4096;
const MAX_COUNT = 2 ** 31 - 1;
const ZERO_IS_NULL = FIGURE_NAMES.map((name) => FIGURES[name].zeroIsNull);
/** Marks of the ABS for a cell that is not available; it may also be empty. */
const NOT_AVAILABLE = /^(\.\.|np|n\.p\.|-|null|na)$/i;

/** Reads the tables of a level: counts are passed on as they come, the figures of all regions after the last file. */
export async function* readCensusPart(part: CensusPart, signal?: AbortSignal): AsyncGenerator<SourceBatch> {
  signal?.throwIfAborted();
  const regions = new RegionTable(part.year, part.level);
  const accounts: InputAccount[] = [];
  let readBefore = { table: '', codes: new Set<string>() };
  for (const file of part.files) {
    const table = `${file.table}${file.letter}`;
    if (readBefore.table !== table) readBefore = { table, codes: new Set() };
    const reader = new FileReader(file, regions, readBefore.codes);
    yield* reader.batches(signal);
    accounts.push(...reader.accounts());
  }
  let rows: unknown[] = [];
  for (const row of regions.rows()) {
    rows.push(row);
    if (rows.length < BATCH_ROWS) continue;
    signal?.throwIfAborted();
    yield { records: [{ table: censusRegionRecord, rows } as RecordBatch] };
    rows = [];
  }
  yield { records: [{ table: censusRegionRecord, rows } as RecordBatch], accounts };
}

/** Removes the prefix of the level from a code: `SAL20002` becomes 20002. `AUS` and codes that equal their prefix stay. */
function bareCode(text: string, level: CensusLevel): string {
  const bare = text.startsWith(level) ? text.slice(level.length) : text;
  return bare === '' ? text : bare;
}

/** Turns the rows of one file into figures and counts. */
class FileReader {
  readonly #file: BoundFile;
  readonly #regions: RegionTable;
  /** Codes already read from files of the same table and letter. */
  readonly #codes: Set<string>;
  readonly #tally: RowTally;
  /** Account of the cells that are counts. */
  readonly #cells: RowTally;
  /** Values of the current row, figures first; NaN: not available. */
  readonly #values: Float64Array;
  #counts: CountRow[] = [];

  constructor(file: BoundFile, regions: RegionTable, codes: Set<string>) {
    this.#file = file;
    this.#regions = regions;
    this.#codes = codes;
    this.#tally = new RowTally(file.file, censusRegionRecord.name);
    this.#cells = new RowTally(`${file.file} (cells)`, null);
    this.#values = new Float64Array(file.figures.length + file.counts.length);
  }

  async *batches(signal?: AbortSignal): AsyncGenerator<SourceBatch> {
    const { member, file, codeColumn, figures, counts } = this.#file;
    const columns = [
      codeColumn,
      ...figures.map(([column]) => column),
      ...counts.map(({ census_name }) => census_name.toUpperCase()),
    ];
    const source = { file, chunks: readMember(member, signal), delimiter: ',' };
    for await (const rows of readDelimited(source, columns, this.#tally.badLine)) {
      while (rows.next()) {
        this.#row(rows);
        if (this.#counts.length >= BATCH_ROWS) {
          yield this.#batch();
          signal?.throwIfAborted();
        }
      }
      yield this.#batch();
    }
  }

  /** Returns the account of the rows, and the account of the count cells. */
  accounts(): InputAccount[] {
    const cells = this.#file.counts.length === 0 ? [] : this.#cells.accounts();
    return [...this.#tally.accounts(), ...cells];
  }

  #batch(): SourceBatch {
    const rows = this.#counts;
    this.#counts = [];
    return {
      records: rows.length === 0 ? [] : [{ table: censusCountRecord, rows } as unknown as RecordBatch],
      rejects: this.#tally.takeRejects(),
    };
  }

  #row(rows: RowCursor): void {
    const { level } = this.#regions;
    const { line } = rows;
    this.#tally.rows_in++;
    const codeText = rows.text(0)?.trim() ?? '';
    const code = bareCode(codeText, level);
    if (!/^[0-9A-Z]{1,11}$/.test(code)) {
      const quoted = JSON.stringify(codeText.slice(0, 40));
      if (code === '') this.#tally.reject(line, 'missing_key', 'the code of the region is blank');
      else this.#tally.reject(line, 'bad_code', `${quoted} is no ${level} code`);
    } else if (this.#codes.has(code)) this.#tally.drop('repeated_region');
    else {
      const problem = this.#readValues(rows);
      if (problem === null) this.#keep(code, line);
      else this.#tally.reject(line, 'bad_number', `${level} ${code}: ${problem}`);
    }
  }

  /** Reads the values of a row. Returns a message if one is not a number; null: all are. */
  #readValues(rows: RowCursor): string | null {
    const values = this.#values;
    for (let i = 0; i < values.length; i++) {
      let value = rows.decimal(i + 1);
      if (Number.isNaN(value)) {
        const text = rows.text(i + 1)?.trim() ?? '';
        if (text !== '' && !NOT_AVAILABLE.test(text)) {
          value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
          if (Number.isNaN(value))
            return `${this.#nameOf(i)} ${JSON.stringify(text.slice(0, 40))} is no number`;
        }
      }
      if (value < 0 || value > MAX_COUNT) return `${this.#nameOf(i)} ${value} is out of range`;
      values[i] = value;
    }
    return null;
  }

  #nameOf(value: number): string {
    const { figures, counts } = this.#file;
    return value < figures.length ? figures[value]![0] : counts[value - figures.length]!.census_name;
  }

  #keep(code: string, line: number): void {
    const { figures, counts } = this.#file;
    const { year, edition, level } = this.#regions;
    this.#codes.add(code);
    const { region, isNew } = this.#regions.regionOf(code, line);
    if (isNew) this.#tally.records++;
    else this.#tally.merged++;
    for (let i = 0; i < figures.length; i++) {
      const [, figure] = figures[i]!;
      const value = this.#values[i]!;
      if (Number.isNaN(value) || (value === 0 && ZERO_IS_NULL[figure]!)) continue;
      this.#regions.add(region, figure, value);
    }
    const cells = this.#cells;
    for (let i = 0; i < counts.length; i++) {
      const persons = this.#values[figures.length + i]!;
      cells.rows_in++;
      if (Number.isNaN(persons)) cells.drop('not_available');
      else if (Math.round(persons) === 0) cells.drop('zero_count');
      else {
        cells.records++;
        const { subject, category, census_name, kind } = counts[i]!;
        this.#counts.push({
          load_id: 0,
          source_no: line,
          edition,
          year,
          level,
          code,
          subject,
          category,
          census_name,
          kind,
          persons: Math.round(persons),
        });
      }
    }
  }
}
