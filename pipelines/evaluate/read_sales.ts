import { EtlError } from '../../schema/errors.ts';
import { append } from '../../schema/group_by.ts';
import { DWELLING_TYPES } from '../../schema/serving/property.ts';
import { readCsvRows } from '../../sources/formats/table/csv_rows.ts';
import { tableRows } from '../../sources/formats/table/csv_table.ts';
import { nameWords, streetKey } from '../../transforms/address/parse/keys.ts';
import { weeklyRent } from '../../transforms/avm/rent_yield.ts';
import { NO_DAY, type SaleFacts } from '../../transforms/avm/validate_sales.ts';
import { HOME_NUMBERS, type HomeNumber, type SaleTable } from '../../transforms/property/home_table.ts';
import { dateReader } from './date_reader.ts';
import { AREA_UNITS, type EvaluationSalesMap, mappedColumns } from './sales_map.ts';

/** Sales of a mapped file. rows_in = sales.length + rejected. */
export interface ReadSales {
  rows_in: number;
  /** Rows with too few or too many columns. */
  rejected: number;
  sales: SaleTable;
  facts: SaleFacts;
  /** Unreadable values, which count as unknown, by column of the file. */
  unreadable: Record<string, number>;
  /** Words of the type column that the map does not know, with their row counts. */
  unknown_types: Record<string, number>;
}

/** Maximum distinct unknown words listed. */
const MAX_WORDS = 50;

const HAS_DIGIT = /\d/;

/** Returns what follows an address's leading numbers (`2/15A Smith St`, `Unit 3 12 Smith St`); empty: no leading number. */
function afterNumbers(text: string): string {
  const words = text.trim().split(/\s+/);
  const isNumber = (word = ''): boolean => HAS_DIGIT.test(word) || !/[A-Za-z]/.test(word);
  let at = isNumber(words[0]) || !isNumber(words[1] ?? 'x') ? 0 : 1;
  const first = at;
  while (at < words.length && isNumber(words[at])) at++;
  return at === first ? '' : words.slice(at).join(' ');
}

type CsvRecord = Record<string, string>;

/** Parses a number without currency signs and thousands separators; NaN: not a number. */
function numberOf(text: string): number {
  const plain = text.replace(/[$€£,\s]/g, '');
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(plain) ? Number(plain) : NaN;
}

/** Collects rows into columns. */
class Collector {
  readonly unreadable = new Map<string, number>();
  readonly unknown_types = new Map<string, number>();
  private readonly map: EvaluationSalesMap;
  private readonly unknown: ReadonlySet<string>;
  private readonly dayOf: (text: string) => number | null;
  private readonly types: ReadonlyMap<string, string>;
  private readonly texts = {
    id: [] as string[],
    property: [] as string[],
    type: [] as string[],
    area: [] as string[],
    street: [] as string[],
  };
  private readonly transaction: string[] = [];
  private readonly is_sale: boolean[] = [];
  private readonly columns = new Map<string, number[]>();
  private readonly repeats = new Map<string, number>();

  constructor(map: EvaluationSalesMap) {
    this.map = map;
    this.unknown = new Set(map.unknown);
    this.dayOf = dateReader(map.date_format);
    this.types = new Map([
      ...DWELLING_TYPES.map((type) => [type, type] as const),
      ...Object.entries(map.dwelling_types).map(([word, type]) => [word.toLowerCase(), type] as const),
    ]);
  }

  add(row: CsvRecord): void {
    const { columns, extra, sales } = this.map;
    this.texts.id.push(this.idOf(row));
    this.texts.property.push(this.joined(row, columns.property));
    this.texts.area.push(this.joined(row, columns.area));
    this.texts.street.push(this.streetOf(row));
    this.texts.type.push(this.typeOf(row));
    this.transaction.push(columns.transaction ? this.text(row, columns.transaction) : '');
    this.is_sale.push(!sales || sales.values.includes(row[sales.column]!.trim()));
    this.put('day', this.dayOf(this.text(row, columns.date)) ?? NO_DAY);
    this.put('price', this.priceOf(row));
    this.put('interest_pct', this.number(row, columns.interest_pct));
    for (const name of HOME_NUMBERS) this.put(name, this.number(row, columns[name]) * this.unitOf(name));
    for (const [name, column] of Object.entries(extra)) this.put(`extra ${name}`, this.number(row, column));
  }

  finish(): { sales: SaleTable; facts: SaleFacts } {
    const column = (name: string): Float64Array => Float64Array.from(this.columns.get(name) ?? []);
    const numbers = Object.fromEntries(HOME_NUMBERS.map((name) => [name, column(name)])) as Record<
      HomeNumber,
      Float64Array
    >;
    const { id, property, type, area, street } = this.texts;
    const extra = Object.keys(this.map.extra).map((name) => [name, column(`extra ${name}`)]);
    return {
      sales: {
        length: id.length,
        id,
        property,
        dwelling_type: type,
        area,
        street,
        day: Int32Array.from(this.columns.get('day') ?? []),
        price: column('price'),
        ...numbers,
        extra: Object.fromEntries(extra),
      },
      facts: {
        is_sale: this.is_sale,
        interest_pct: column('interest_pct'),
        transaction: this.transaction,
      },
    };
  }

  private put(name: string, value: number): void {
    append(this.columns, name, value);
  }

  private text(row: CsvRecord, column: string): string {
    const text = row[column]!.trim();
    return this.unknown.has(text) ? '' : text;
  }

  private joined(row: CsvRecord, columns: string | string[] | undefined): string {
    const parts = [columns ?? []].flat().map((column) => this.text(row, column));
    return parts.every((part) => part === '') ? '' : parts.join(', ');
  }

  /** Returns the row's key, or its text, so that file order does not matter. Repeats are numbered. */
  private idOf(row: CsvRecord): string {
    const { id } = this.map.columns;
    const idText = id ? this.text(row, id) : JSON.stringify(Object.values(row));
    const repeat = this.repeats.get(idText) ?? 0;
    this.repeats.set(idText, repeat + 1);
    return repeat === 0 ? idText : `${idText} #${repeat + 1}`;
  }

  /** Returns the street of an address for comparison: what follows its last leading number, or the whole value of a street column. */
  private streetOf(row: CsvRecord): string {
    const { street, property } = this.map.columns;
    for (const column of [street ?? property ?? []].flat()) {
      const text = this.text(row, column);
      const name = afterNumbers(text) || (street === undefined ? '' : text);
      if (name !== '') return streetKey(nameWords(name));
    }
    return '';
  }

  private typeOf(row: CsvRecord): string {
    const column = this.map.columns.dwelling_type;
    const word = column ? this.text(row, column) : '';
    if (word === '') return this.map.default_type ?? '';
    const knownType = this.types.get(word.toLowerCase());
    if (knownType !== undefined) return knownType;
    if (this.unknown_types.has(word) || this.unknown_types.size < MAX_WORDS)
      this.unknown_types.set(word, (this.unknown_types.get(word) ?? 0) + 1);
    return '';
  }

  private number(row: CsvRecord, column: string | undefined): number {
    if (column === undefined) return NaN;
    const text = this.text(row, column);
    if (text === '') return NaN;
    const value = numberOf(text);
    if (!Number.isFinite(value)) this.unreadable.set(column, (this.unreadable.get(column) ?? 0) + 1);
    return Number.isFinite(value) ? value : NaN;
  }

  private priceOf(row: CsvRecord): number {
    const price = this.number(row, this.map.columns.price);
    return this.map.kind === 'rent' ? Math.round(weeklyRent(price, this.map.rent_period)!) : price;
  }

  private unitOf(name: HomeNumber): number {
    return name === 'land_area_sqm' || name === 'floor_area_sqm' ? AREA_UNITS[this.map.units[name]] : 1;
  }
}

function checkHeader(header: readonly string[], map: EvaluationSalesMap, file: string): void {
  const missing = mappedColumns(map).filter((name) => !header.includes(name));
  if (missing.length > 0) {
    throw new EtlError(
      'evaluate_map',
      `${file} has no column ${missing.join(', ')}; it has ${header.join(', ').slice(0, 500) || 'none'}. Correct the map.`,
      { details: { missing } },
    );
  }
}

/**
 * Reads a delimited file with a header by a map. @throws EtlError `evaluate_map` if mapped columns are missing, and errors of `readCsvRows`
 */
export async function readSales(file: string, map: EvaluationSalesMap): Promise<ReadSales> {
  const collector = new Collector(map);
  let rows_in = 0;
  let rejected = 0;
  const lines = readCsvRows(file, file, { delimiter: map.delimiter });
  const rows = tableRows(lines, (header) => {
    checkHeader(header, map, file);
    return header;
  });
  for await (const { cells, columns: header, problem } of rows) {
    rows_in++;
    if (problem !== null) rejected++;
    else collector.add(Object.fromEntries(cells.map((value, i) => [header[i]!, value])));
  }
  return {
    rows_in,
    rejected,
    ...collector.finish(),
    unreadable: Object.fromEntries(collector.unreadable),
    unknown_types: Object.fromEntries(collector.unknown_types),
  };
}
