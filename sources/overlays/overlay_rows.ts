import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { Row } from '../../schema/table.ts';
import { familyOf } from '../fields/code_family.ts';
import { ColumnFilters } from '../fields/column_filter.ts';
import { firstId, firstText } from '../fields/first_filled.ts';
import { tooLong } from '../fields/tidy_text.ts';
import { titleCase } from '../fields/title_case.ts';
import type { Family, FeatureField, FeatureSource, Features, Problem } from '../formats/feature.ts';
import { findFields, requireFields } from '../formats/table/columns.ts';
import { FeatureIds } from '../layers/feature_ids.ts';
import { NOT_SENSITIVE } from '../layers/sensitive.ts';
import { type PieceColumns, pieceRows } from '../release/feature_pieces.ts';
import type { FeatureRows, MadeRow, ShapeOf } from '../release/feature_rows.ts';
import type { RowTally } from '../tally.ts';
import { FAMILY_LISTS, type OverlayFieldMap, type ValueRule } from './field_map.ts';
import {
  codeAndNameValue,
  heightValue,
  heritageValue,
  lotSizeValue,
  type OverlayValue,
  ratioValue,
  textValue,
} from './value.ts';

/** Columns of an overlay without the columns of its pieces. */
export type OverlayColumns = Omit<Row<typeof overlayPieceRecord>, keyof PieceColumns>;

/** Settings for reading one file. */
export interface OverlayFile {
  readonly feature: FeatureSource;
  readonly map: OverlayFieldMap;
  /** Prefixes of keys: of the publisher's identifiers, and of the numbers of features without one. */
  readonly prefix: string;
  readonly unnamed: string;
  readonly covered: boolean;
}

type OverlayFieldReader = (batch: Features, row: number) => string | null;
type MakeValue = (batch: Features, row: number, code: string | null) => OverlayValue;

/** Turns the rows of one file into overlays, and collects notes for the run report. */
export class OverlayRows implements FeatureRows<Family> {
  readonly readFields: readonly FeatureField[];
  readonly #filters: ColumnFilters;
  readonly #ids: FeatureIds;
  readonly #file: string;
  readonly #id: OverlayFieldReader;
  readonly #code: OverlayFieldReader;
  readonly #layer: (batch: Features, row: number, code: string | null) => string | null;
  readonly #value: MakeValue;
  readonly #strange = new Map<string, number>();

  /** EtlError `missing_column` if the file has no column for the layer or the value. */
  constructor(part: OverlayFile, fields: readonly FeatureField[], names: ReadonlyMap<string, string>) {
    const { map, feature } = part;
    const columns = new ColumnReader(fields, feature.file);
    this.#file = feature.file;
    this.#filters = new ColumnFilters([...NOT_SENSITIVE, ...map.filters], fields, feature.file, {
      covered: part.covered,
      dropsUnknown: false,
    });
    this.#ids = new FeatureIds(part.prefix, part.unnamed);
    this.#id = columns.id(map.overlay_id);
    this.#code = columns.id(map.code);
    this.#value = valueMaker(map.value, columns, names);
    this.#layer = this.#layerReader(map, columns, names);
    this.readFields = [...this.#filters.fields, ...columns.asked];
  }

  fateOf(batch: Features, row: number): string | null {
    return this.#filters.dropOf(batch, row);
  }

  rowsOf(batch: Features, row: number, shape: ShapeOf<Family>): Iterable<MadeRow> | Problem {
    const overlay = this.#attributes(batch, row);
    return 'message' in overlay ? overlay : pieceRows(overlayPieceRecord, overlay, shape);
  }

  #attributes(batch: Features, row: number): OverlayColumns | Problem {
    const code = this.#code(batch, row);
    const layer = this.#layer(batch, row, code);
    if (layer === null) return { code: 'missing_value', message: 'what the overlay controls is blank' };
    const rowValue = this.#value(batch, row, code);
    if (!('value' in rowValue)) return { code: rowValue.code, message: `${layer}: ${rowValue.problem}` };
    const id = this.#id(batch, row);
    const { value } = rowValue;
    const long = tooLong({ layer, value, code, identifier: id });
    if (long !== null) return long;
    const feature = batch.first + row;
    return { load_id: 0, source_no: feature, overlay_id: this.#ids.idOf(id, feature), layer, code, value };
  }

  finish(tally: RowTally): { notes: readonly string[] } {
    tally.unknown = this.#filters.unknown;
    if (this.#strange.size === 0) return { notes: this.#filters.notes };
    const codes = [...this.#strange]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, n]) => `${code} (${n})`);
    const strange = `${this.#file}: overlay codes of unknown families: ${codes.join(', ')}.`;
    return { notes: [...this.#filters.notes, strange] };
  }

  #layerReader(map: OverlayFieldMap, columns: ColumnReader, names: ReadonlyMap<string, string>) {
    const { layer: rule, value } = map;
    if ('is' in rule) return () => rule.is;
    if ('fields' in rule) return columns.words(rule.fields, 'what an overlay controls');
    const families: Readonly<Record<string, string>> = FAMILY_LISTS[rule.families];
    const bases = Object.keys(families);
    columns.check(
      [...(map.code ?? []), ...(value.rule === 'code_and_name' ? value.name : [])],
      'the code of an overlay',
    );
    const described = value.rule === 'code_and_name' ? columns.optionalWords(value.name) : () => null;
    return (batch: Features, row: number, code: string | null): string | null => {
      const base = code === null ? null : familyOf(code, bases);
      if (base !== null) return families[base]!;
      const label = code ?? 'without code';
      if (this.#strange.size < MAX_STRANGE || this.#strange.has(label))
        this.#strange.set(label, (this.#strange.get(label) ?? 0) + 1);
      // a description names its family before the schedule
      const name = described(batch, row) ?? names.get(code ?? '') ?? null;
      return name === null ? code : titleCase(name).replace(/ - .*$/, '');
    };
  }
}

/** Maximum distinct codes of unknown families that are kept for the report. */
const MAX_STRANGE = 100;

/** Builds readers of columns, and records which columns they use. */
class ColumnReader {
  readonly asked: FeatureField[] = [];
  readonly #fields: readonly FeatureField[];
  readonly #file: string;

  constructor(fields: readonly FeatureField[], file: string) {
    this.#fields = fields;
    this.#file = file;
  }

  /** Returns a reader of an identifier or code; it returns null if the map or the file has no column. */
  id(aliases: readonly string[] | null): OverlayFieldReader {
    const fields = this.#addFields(findFields(this.#fields, aliases ?? []));
    return (batch, row) => firstId(batch, row, fields);
  }

  /** Returns a reader of words or a figure; the file must have one of the columns. */
  words(aliases: readonly string[], what: string): OverlayFieldReader {
    const fields = this.#addFields(requireFields(this.#fields, aliases, this.#file, what));
    return (batch, row) => firstId(batch, row, fields);
  }

  /** Throws EtlError `missing_column` if the file has none of the columns. */
  check(aliases: readonly string[], what: string): void {
    requireFields(this.#fields, aliases, this.#file, what);
  }

  optionalWords(aliases: readonly string[]): OverlayFieldReader {
    const fields = this.#addFields(findFields(this.#fields, aliases));
    return (batch, row) => firstText(batch, row, fields);
  }

  #addFields(fields: FeatureField[]): FeatureField[] {
    this.asked.push(...fields);
    return fields;
  }
}

function valueMaker(rule: ValueRule, columns: ColumnReader, names: ReadonlyMap<string, string>): MakeValue {
  switch (rule.rule) {
    case 'code_and_name': {
      const name = columns.optionalWords(rule.name);
      return (batch, row, code) => {
        const words = name(batch, row) ?? names.get(code ?? '') ?? null;
        return codeAndNameValue(code, words === null ? null : titleCase(words));
      };
    }
    case 'height':
    case 'lot_size': {
      const make = rule.rule === 'height' ? heightValue : lotSizeValue;
      const figure = columns.words(rule.figure, 'the figure of an overlay');
      const unit = columns.words(rule.unit, 'the unit of an overlay');
      return (batch, row) => make(figure(batch, row), unit(batch, row));
    }
    case 'ratio': {
      const figure = columns.words(rule.figure, 'the floor space ratio');
      return (batch, row) => ratioValue(figure(batch, row));
    }
    case 'heritage': {
      const kind = columns.words(rule.class, 'the class of a heritage item');
      const id = columns.id(rule.id);
      const name = columns.optionalWords(rule.name);
      return (batch, row) => heritageValue(kind(batch, row), id(batch, row), name(batch, row));
    }
    case 'text': {
      const text = columns.words(rule.fields, 'the value of an overlay');
      return (batch, row) => textValue(text(batch, row), rule.unit);
    }
  }
}
