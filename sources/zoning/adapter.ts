import { COVERAGE_RECORDS } from '../../schema/records/coverage.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import type { SourceAdapter } from '../adapter.ts';
import { ColumnFilters } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import { firstId } from '../fields/first_filled.ts';
import { tidyText } from '../fields/tidy_text.ts';
import { titleCase } from '../fields/title_case.ts';
import type { Family, FeatureField, Features } from '../formats/feature.ts';
import { findFields, missingColumns } from '../formats/table/columns.ts';
import { FeatureIds } from '../layers/feature_ids.ts';
import { type LayerPart, planLayers, readLayer } from '../layers/layer_parts.ts';
import { polygonPieces } from '../release/feature_pieces.ts';
import type { FeatureRows, MadeRow, ShapeOf } from '../release/feature_rows.ts';
import type { RowTally } from '../tally.ts';
import { mostSpecificName, zoneCategory } from './categories.ts';
import type { ZoningFieldMap } from './field_maps.ts';
import { readZoningOptions } from './options.ts';

type ZoneRow = Row<typeof zonePieceRecord>;

interface ZoningPart extends LayerPart {
  readonly id: string;
  readonly state: string;
  readonly map: ZoningFieldMap;
}

/** Reads state planning zones from vector files of any format, each through the field map of its state. */
export const zoningAdapter: SourceAdapter = {
  name: 'zoning',
  version: 13,
  placeUnit: 'feature',
  title: 'Planning zones',
  publisher: 'State and territory planning agencies, councils',
  licence: 'CC BY 4.0 (VIC, ACT), CC BY (NSW), CC BY 3.0 AU (SA, TAS); WA must not be displayed',
  attribution: 'Contains planning zone data of the state and territory governments of Australia.',
  tables: [zonePieceRecord, ...COVERAGE_RECORDS],
  checkOptions: readZoningOptions,
  async discover(dataset) {
    const { state, layers, map, coverage } = readZoningOptions(dataset);
    const bound: string[] = [];
    const plan = { theme: 'zoning', state, layers, coverage, statewide: map.statewide } as const;
    const { release, parts } = await planLayers(dataset, plan, ({ id, fields, source }) => {
      bound.push(...bindColumns(map, fields, source.file).notes);
      return { id, state, map };
    });
    return { release: { ...release, notes: [...release.notes, ...bound] }, parts };
  },
  readPart: (_release, part, { signal }) =>
    readLayer(
      part,
      {
        table: zonePieceRecord,
        kindsOf: (_source: ZoningPart) => ['polygon'],
        bind: (source, fields, names) => new ZoneRows(source, fields, names),
      },
      signal,
    ),
};

/** Columns of a file that its field map needs; empty: the file has none. */
interface ZoneColumns {
  readonly id: readonly FeatureField[];
  readonly code: readonly FeatureField[];
  readonly name: readonly FeatureField[];
  readonly detail: readonly FeatureField[];
  readonly filters: ColumnFilters;
  /** Columns that state whether a zone prevails. */
  readonly prevails: readonly FeatureField[];
  /** Every column that is read. */
  readonly fields: readonly (FeatureField | null)[];
  readonly notes: readonly string[];
}

/** Binds the columns of a file. EtlError `missing_column` if it has neither a code nor a name of zones. */
function bindColumns(map: ZoningFieldMap, fields: readonly FeatureField[], file: string): ZoneColumns {
  const filters = new ColumnFilters(map.filters, fields, file, { covered: true, dropsUnknown: false });
  const id = findFields(fields, map.zone_id ?? []);
  const code = findFields(fields, map.code);
  const name = findFields(fields, map.name);
  if (code.length + name.length === 0)
    throw missingColumns(
      file,
      [`for the code of a zone (${map.code.join(' or ')}) or its name (${map.name.join(' or ')})`],
      fields.map((each) => each.name),
      'Check that it is the right layer, or name the columns in your own field_map.',
    );
  const detail = findFields(fields, map.detail);
  const prevails = findFields(fields, map.prevails?.fields ?? []);
  const columns = [...id, ...code, ...name, ...detail, ...filters.fields, ...prevails];
  return { id, code, name, detail, filters, prevails, fields: columns, notes: filters.notes };
}

/** Returns the texts of several columns that are not blank in a row. */
const allOf = (batch: Features, row: number, fields: readonly FeatureField[]): string[] =>
  fields.map((field) => tidyText(batch.id(row, field))).filter((text) => text !== null);

/** Appends the detail to a name, `Public purposes: Primary school`, unless it repeats the name. */
function titled(name: string | null, detail: string | null): string | null {
  const ownName = name === null ? null : titleCase(name);
  if (detail === null || (ownName !== null && comparable(ownName) === comparable(detail))) return ownName;
  return ownName === null ? titleCase(detail) : `${ownName}: ${detail}`;
}

/** Maximum names of one code that are kept for the report. */
const MAX_NAMES = 8;

/** Turns the rows of one file into zones, and collects notes for the run report. */
class ZoneRows implements FeatureRows<Family> {
  readonly readFields: readonly (FeatureField | null)[];
  readonly #part: ZoningPart;
  readonly #columns: ZoneColumns;
  readonly #names: ReadonlyMap<string, string>;
  readonly #none: ReadonlySet<string>;
  readonly #starts: readonly string[];
  readonly #ids: FeatureIds;
  readonly #unknown = new Map<string, number>();
  /** Names of each code, by their comparable text. */
  readonly #called = new Map<string, Map<string, string>>();

  constructor(part: ZoningPart, fields: readonly FeatureField[], names: ReadonlyMap<string, string>) {
    this.#part = part;
    this.#columns = bindColumns(part.map, fields, part.feature.file);
    this.readFields = this.#columns.fields;
    this.#names = names;
    this.#ids = new FeatureIds(`${part.state}:`, `${part.state}:${part.id}/`);
    this.#starts = (part.map.prevails?.starts ?? []).map(comparable);
    this.#none = new Set(part.map.none.map(comparable));
  }

  fateOf(batch: Features, row: number): string | null {
    const { name } = this.#zoneOf(batch, row);
    const isNone = name !== null && this.#none.has(comparable(name));
    const drop = isNone ? 'no_zone' : this.#columns.filters.dropOf(batch, row);
    return drop;
  }

  nameOf(batch: Features, row: number): string {
    return `zone ${firstId(batch, row, this.#columns.code) ?? 'without code'}`;
  }

  *rowsOf(batch: Features, row: number, shape: ShapeOf<Family>): Generator<MadeRow> {
    const { code, called, name } = this.#zoneOf(batch, row);
    // a precinct follows its zone
    const precinct = called[0] === name ? null : (called[0] ?? null);
    const detail = precinct ?? firstId(batch, row, this.#columns.detail);
    if (code !== null && name !== null) {
      const names = this.#called.get(code);
      if (names === undefined) this.#called.set(code, new Map([[comparable(name), name]]));
      else if (names.size < MAX_NAMES && !names.has(comparable(name))) names.set(comparable(name), name);
    }
    const feature = batch.first + row;
    const zone = {
      load_id: 0,
      source_no: feature,
      zone_id: this.#ids.idOf(firstId(batch, row, this.#columns.id), feature),
      code,
      name: titled(name, detail),
      category: this.#category(code, name),
      prevails: this.#prevails(batch, row),
    };
    for (const piece of polygonPieces(shape.geometry as MultiPolygon))
      yield [zonePieceRecord, { ...zone, ...piece } satisfies ZoneRow];
  }

  finish(tally: RowTally): { notes: string[] } {
    tally.unknown = this.#columns.filters.unknown;
    tally.uncategorised = this.#uncategorised();
    return { notes: [...this.#families(), ...this.#withoutCategory(tally.records)] };
  }

  /** Returns the code of a row, all its names, and the most specific name. */
  #zoneOf(batch: Features, row: number) {
    const code = firstId(batch, row, this.#columns.code);
    const called = allOf(batch, row, this.#columns.name);
    return {
      code,
      called,
      name: mostSpecificName(this.#part.map.scheme, called) ?? this.#names.get(code ?? '') ?? null,
    };
  }

  /** Returns the zones without a category, by code and name. */
  #uncategorised(): Record<string, number> {
    return Object.fromEntries([...this.#unknown].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #families(): string[] {
    const families = [...this.#called].filter(([, names]) => names.size > 1);
    if (families.length === 0) return [];
    const examples = families
      .slice(0, 5)
      .map(([code, names]) => `${code} (${[...names.values()].join(', ')})`);
    return [
      `${this.#part.feature.file}: one code has several zone names: ${examples.join('; ')}${families.length > 5 ? '; …' : ''}. If ${this.#columns.code.map(({ name }) => name).join(' or ')} holds zone families, set another column for code in the field map.`,
    ];
  }

  #withoutCategory(records: number): string[] {
    if (this.#unknown.size === 0) return [];
    const codes = Object.entries(this.#uncategorised()).map(([code, count]) => `${code} (${count})`);
    const zones = [...this.#unknown.values()].reduce((sum, count) => sum + count, 0);
    const share = ((zones / records) * 100).toFixed(2);
    return [
      `${this.#part.feature.file}: ${zones} of ${records} zones (${share} %) have no category: ${codes.join(', ')}.`,
    ];
  }

  #prevails(batch: Features, row: number): boolean {
    return this.#columns.prevails.some((field) => {
      const text = comparable(batch.text(row, field) ?? '');
      return this.#starts.some((start) => text.startsWith(start));
    });
  }

  #category(code: string | null, name: string | null): string | null {
    const { scheme } = this.#part.map;
    const category = zoneCategory(scheme, code, name);
    const label = [code, name].filter((text) => text !== null).join(' ') || '(blank)';
    if (category === null && scheme !== null) this.#unknown.set(label, (this.#unknown.get(label) ?? 0) + 1);
    return category;
  }
}
