import { coverageAreaRecord, coveragePieceRecord } from '../../schema/records/coverage.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Batch, Part, Release, SourceAdapter } from '../adapter.ts';
import { ColumnFilters } from '../formats/column_filter.ts';
import { findFields, missingColumns } from '../formats/columns.ts';
import { comparable } from '../formats/comparable_text.ts';
import { isCoverage, readCoverage } from '../formats/coverage.ts';
import type { FeatureField, Features } from '../formats/feature.ts';
import { openFeatureFile, readableRows, shapeAs } from '../formats/feature_file.ts';
import { firstId } from '../formats/first_filled.ts';
import { type LayerPart, planLayers } from '../formats/layer_parts.ts';
import { RowBatches } from '../formats/row_batches.ts';
import { Tally } from '../formats/tally.ts';
import { tidyText } from '../formats/tidy_text.ts';
import { titleCase } from '../formats/title_case.ts';
import { readCodeList } from '../formats/zone_code_list.ts';
import { tellingName, zoneCategory } from './categories.ts';
import type { ZoningFieldMap } from './field_maps.ts';
import { readZoningOptions } from './options.ts';

type ZoneRow = Row<typeof zonePieceRecord>;

/** What one part needs besides the file. */
interface ZoningPart extends LayerPart {
  readonly id: string;
  readonly state: string;
  readonly map: ZoningFieldMap;
}

/** State planning zones from vector files of any format, each through the field map of its state. */
export const zoningAdapter: SourceAdapter = {
  name: 'zoning',
  version: 8,
  place: 'feature',
  title: 'Planning zones',
  publisher: 'State and territory planning agencies, councils',
  licence: 'CC BY 4.0 (VIC, ACT), CC BY (NSW), CC BY 3.0 AU (SA, TAS); WA must not be displayed',
  attribution: 'Contains planning zone data of the state and territory governments of Australia.',
  tables: [zonePieceRecord, coverageAreaRecord, coveragePieceRecord],
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
  read,
};

/** Columns of a file that its field map asks for; null: the file has none. */
interface ZoneColumns {
  readonly id: readonly FeatureField[];
  readonly code: readonly FeatureField[];
  readonly name: readonly FeatureField[];
  readonly detail: readonly FeatureField[];
  readonly filters: ColumnFilters;
  /** Columns that say whether a zone prevails. */
  readonly prevails: readonly FeatureField[];
  /** Every column that is read. */
  readonly wanted: readonly (FeatureField | null)[];
  readonly notes: readonly string[];
}

/** EtlError `missing_column` for a file with neither a code nor a name of zones. */
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
      'Check that it is the right layer, or name the columns in a field_map of your own.',
    );
  const detail = findFields(fields, map.detail);
  const prevails = findFields(fields, map.prevails?.fields ?? []);
  const wanted = [...id, ...code, ...name, ...detail, ...filters.fields, ...prevails];
  return { id, code, name, detail, filters, prevails, wanted, notes: filters.notes };
}

async function* read(_release: Release, part: Part, context: { signal?: AbortSignal }): AsyncIterable<Batch> {
  if (isCoverage(part.source)) {
    yield* readCoverage(part.source, context.signal);
    return;
  }
  const source = part.source as ZoningPart;
  const { file } = source.feature;
  const polygons = await openFeatureFile(source.feature, context.signal, ['polygon']);
  try {
    const columns = bindColumns(source.map, polygons.fields, file);
    const list = source.codeList === null ? null : await readCodeList(source.codeList);
    const zones = new ZoneReader(source, columns, list?.names ?? new Map());
    const pieces = new RowBatches(zonePieceRecord, zones.tally);
    for await (const batch of polygons.batches(columns.wanted)) {
      for (const row of readableRows(batch, zones.tally)) {
        const zone = zones.read(batch, row);
        if (zone !== null)
          yield* pieces.addAll(pieceRows(zone.attributes, zone.geometry), (each) => each.geom.length);
      }
      if (pieces.full) yield pieces.rest();
    }
    zones.tally.uncategorised = zones.uncategorised();
    zones.tally.unknown = columns.filters.unknown;
    const accounts = [...zones.tally.accounts(), ...(list !== null && source.first ? list.accounts : [])];
    yield { ...pieces.rest(), accounts, notes: [...zones.notes(), ...polygons.notes()] };
  } finally {
    await polygons.close();
  }
}

/** The texts of several columns that are not blank in a row. */
const allOf = (batch: Features, row: number, fields: readonly FeatureField[]): string[] =>
  fields.map((field) => tidyText(batch.id(row, field))).filter((text) => text !== null);

type Attributes = Omit<ZoneRow, 'cell' | 'geom'>;

function* pieceRows(attributes: Attributes, geometry: MultiPolygon): Iterable<ZoneRow> {
  for (const piece of cutIntoCells(geometry)) {
    yield { ...attributes, cell: piece.cell, geom: encodeWkb(piece.geometry) };
  }
}

/** `Public purposes: Primary school`; what says the same again is left out. */
function named(name: string | null, detail: string | null): string | null {
  const own = name === null ? null : titleCase(name);
  if (detail === null || (own !== null && comparable(own) === comparable(detail))) return own;
  return own === null ? titleCase(detail) : `${own}: ${detail}`;
}

/** Names of one code that are kept for the report. */
const MAX_NAMES = 8;

/** Turns the rows of one file into zones, and keeps what the report says of them. */
class ZoneReader {
  readonly tally: Tally;
  readonly #part: ZoningPart;
  readonly #columns: ZoneColumns;
  readonly #names: ReadonlyMap<string, string>;
  readonly #none: ReadonlySet<string>;
  readonly #starts: readonly string[];
  /** How often an identifier has come: a few 10,000 zones a state, so all are held. */
  readonly #seen = new Map<string, number>();
  readonly #unknown = new Map<string, number>();
  /** Names of each code, by their comparable text. */
  readonly #called = new Map<string, Map<string, string>>();

  constructor(part: ZoningPart, columns: ZoneColumns, names: ReadonlyMap<string, string>) {
    this.tally = new Tally(part.feature.file, zonePieceRecord.name, 'feature');
    this.#part = part;
    this.#columns = columns;
    this.#names = names;
    this.#starts = (part.map.prevails?.starts ?? []).map(comparable);
    this.#none = new Set(part.map.none.map(comparable));
  }

  /** A zone with its attributes, or null where the row is dropped or rejected. */
  read(batch: Features, row: number): { attributes: Attributes; geometry: MultiPolygon } | null {
    const feature = batch.first + row;
    const code = firstId(batch, row, this.#columns.code);
    const called = allOf(batch, row, this.#columns.name);
    const name = tellingName(this.#part.map.scheme, called) ?? this.#names.get(code ?? '') ?? null;
    const isNone = name !== null && this.#none.has(comparable(name));
    const drop = isNone ? 'no_zone' : this.#columns.filters.dropOf(batch, row);
    if (drop !== null) {
      this.tally.drop(drop);
      return null;
    }
    const shape = shapeAs(batch, row, 'polygon');
    if (shape.geometry === null) {
      const { code: reason, message } = shape.reject ?? { code: 'no_geometry', message: 'the shape is null' };
      this.tally.reject(feature, reason, `zone ${code ?? 'without code'}: ${message}`);
      return null;
    }
    this.tally.records++;
    // a precinct stands behind its zone
    const precinct = called[0] === name ? null : (called[0] ?? null);
    const detail = precinct ?? firstId(batch, row, this.#columns.detail);
    if (code !== null && name !== null) {
      const names = this.#called.get(code);
      if (names === undefined) this.#called.set(code, new Map([[comparable(name), name]]));
      else if (names.size < MAX_NAMES && !names.has(comparable(name))) names.set(comparable(name), name);
    }
    const attributes = {
      load_id: 0,
      source_no: feature,
      zone_id: this.#zoneId(batch, row, feature),
      code,
      name: named(name, detail),
      category: this.#category(code, name),
      prevails: this.#prevails(batch, row),
    };
    return { attributes, geometry: shape.geometry };
  }

  /** Zones without a category, by code and name. */
  uncategorised(): Record<string, number> {
    return Object.fromEntries([...this.#unknown].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Sentences on the codes that stand for several zones, and on those without a category with their share. */
  notes(): string[] {
    return [...this.#families(), ...this.#withoutCategory()];
  }

  #families(): string[] {
    const families = [...this.#called].filter(([, names]) => names.size > 1);
    if (families.length === 0) return [];
    const shown = families.slice(0, 5).map(([code, names]) => `${code} (${[...names.values()].join(', ')})`);
    return [
      `${this.#part.feature.file}: one code stands for several zones: ${shown.join('; ')}${families.length > 5 ? '; …' : ''}. Where ${this.#columns.code.map(({ name }) => name).join(' or ')} names families of zones, give the field map another for code.`,
    ];
  }

  #withoutCategory(): string[] {
    if (this.#unknown.size === 0) return [];
    const codes = Object.entries(this.uncategorised()).map(([code, count]) => `${code} (${count})`);
    const zones = [...this.#unknown.values()].reduce((sum, count) => sum + count, 0);
    const share = ((zones / this.tally.records) * 100).toFixed(2);
    return [
      `${this.#part.feature.file}: ${zones} of ${this.tally.records} zones (${share} %) have no category: ${codes.join(', ')}.`,
    ];
  }

  /** An identifier that comes again gets `#2`, `#3` … in file order. */
  #zoneId(batch: Features, row: number, feature: number): string {
    const id = firstId(batch, row, this.#columns.id);
    if (id === null) return `${this.#part.state}:${this.#part.id}/${feature}`;
    const times = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, times);
    return `${this.#part.state}:${id}${times === 1 ? '' : `#${times}`}`;
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
    const shown = [code, name].filter((text) => text !== null).join(' ') || '(blank)';
    if (category === null && scheme !== null) this.#unknown.set(shown, (this.#unknown.get(shown) ?? 0) + 1);
    return category;
  }
}
