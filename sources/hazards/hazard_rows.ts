import { type HazardLayer, hazardPieceRecord } from '../../schema/records/hazard.ts';
import type { Row } from '../../schema/table.ts';
import { hazardClass } from '../../transforms/hazards/hazard_class.ts';
import { familyOf } from '../fields/code_family.ts';
import { ColumnFilters, matcherOf } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import { firstId, firstText } from '../fields/first_filled.ts';
import { tooLong } from '../fields/tidy_text.ts';
import { titleCase } from '../fields/title_case.ts';
import type { Family, FeatureField, FeatureSource, Features, Problem } from '../formats/feature.ts';
import { findFields } from '../formats/table/columns.ts';
import { FeatureIds } from '../layers/feature_ids.ts';
import { NOT_SENSITIVE } from '../layers/sensitive.ts';
import { type PieceColumns, pieceRows } from '../release/feature_pieces.ts';
import type { FeatureRows, MadeRow, ShapeOf } from '../release/feature_rows.ts';
import type { RowTally } from '../tally.ts';
import { eventDate } from './event_date.ts';
import type { HazardFieldMap, Severity } from './field_map.ts';
import type { FloodEvent } from './options.ts';
import { kindOfLayer } from './registers.ts';

/** Columns of a hazard without the columns of its pieces. */
export type HazardColumns = Omit<Row<typeof hazardPieceRecord>, keyof PieceColumns>;

/** Settings for reading one file. */
export interface HazardFile {
  readonly feature: FeatureSource;
  readonly layer: HazardLayer;
  readonly map: HazardFieldMap;
  readonly event: FloodEvent;
  /** Prefixes of keys: of the publisher's identifiers, and of the numbers of features without one. */
  readonly prefix: string;
  readonly unnamed: string;
  /** Whether the dataset states a coverage. */
  readonly covered: boolean;
}

/** Maximum classes listed in a note; the rest are counted. */
const LISTED = 20;
/** Maximum distinct classes without a severity that are kept for the report. */
const MAX_UNRANKED = 1000;

/** Classes that mean "not assessed", for every layer. */
const NOBODY_LOOKED: readonly string[] = [
  'Investigation',
  '*investigation area*',
  'Not assessed*',
  'Not studied*',
  'Not mapped*',
  'Not modelled*',
  'Unassessed*',
];
/** Names without meaning, and names that are only a number. */
const SAYS_NOTHING = /^(hazards?|yes|y|true|n\/?a|not applicable|-)$/i;
const NUMBER = /^\d+(\.\d+)?$/;

/** Name of a feature; `inWords`: the map translated its code. */
interface Published {
  readonly text: string;
  readonly inWords: boolean;
}

interface BoundHazardColumns {
  readonly id: readonly FeatureField[];
  readonly name: readonly FeatureField[];
  readonly class: readonly FeatureField[];
  readonly listing: readonly FeatureField[];
  readonly code: readonly FeatureField[];
  readonly detail: readonly FeatureField[];
  readonly date: readonly FeatureField[];
}

/** Turns the rows of one file into hazards, and collects notes for the run report. */
export class HazardRows implements FeatureRows<Family> {
  readonly readFields: readonly (FeatureField | null)[];
  readonly #part: HazardFile;
  readonly #columns: BoundHazardColumns;
  readonly #filters: ColumnFilters;
  readonly #names: ReadonlyMap<string, string>;
  readonly #ids: FeatureIds;
  /** Kind of listing of rows that state none; null: the map is not for a register. */
  readonly #kind: string | null;
  readonly #ranks: ReadonlyMap<string, Severity>;
  readonly #bases: readonly string[];
  readonly #isUnassessed: (text: string) => boolean;
  readonly #words: ReadonlyMap<string, string>;
  readonly #unranked = new Map<string, number>();
  #undated = 0;
  #undatedExample = '';

  constructor(part: HazardFile, fields: readonly FeatureField[], names: ReadonlyMap<string, string>) {
    const { map, feature } = part;
    const find = (aliases: readonly string[] | null | undefined): FeatureField[] =>
      findFields(fields, aliases ?? []);
    this.#part = part;
    this.#names = names;
    // A value in no list is unknown. If the dataset covers the area, the row is kept as not assessed.
    this.#filters = new ColumnFilters([...NOT_SENSITIVE, ...map.filters], fields, feature.file, {
      covered: part.covered,
      dropsUnknown: !part.covered,
    });
    this.#columns = {
      id: find(map.feature_id),
      name: find(map.name),
      class: find(map.class ?? map.name),
      listing: find(map.listing?.fields),
      code: find(map.code),
      detail: find(map.detail?.fields),
      date: find(map.event_date?.fields),
    };
    this.readFields = [...this.#filters.fields, ...Object.values(this.#columns).flat()];
    this.#ids = new FeatureIds(part.prefix, part.unnamed);
    this.#kind = map.listing === null ? null : (kindOfLayer(map.listing, feature) ?? map.label);
    const ranks = Object.entries(map.severity);
    this.#ranks = new Map(ranks.map(([text, rank]) => [comparable(text), rank]));
    this.#bases = ranks.map(([text]) => text.toUpperCase());
    this.#words = new Map(Object.entries(map.words).map(([text, words]) => [comparable(text), words]));
    this.#isUnassessed = matcherOf([...map.unassessed, ...NOBODY_LOOKED]);
  }

  fateOf(batch: Features, row: number): string | null {
    return this.#filters.dropOf(batch, row);
  }

  rowsOf(batch: Features, row: number, shape: ShapeOf<Family>): Iterable<MadeRow> | Problem {
    const hazard = this.#attributes(batch, row, shape.kind);
    return 'message' in hazard ? hazard : pieceRows(hazardPieceRecord, hazard, shape);
  }

  #attributes(batch: Features, row: number, kind: Family): HazardColumns | Problem {
    const { layer } = this.#part;
    const code = firstId(batch, row, this.#columns.code);
    const unknown = this.#filters.unknownOf(batch, row);
    const published = this.#wordsOf(firstId(batch, row, this.#columns.name));
    const name = this.#name(batch, row, published, code, unknown);
    const ownClass = firstId(batch, row, this.#columns.class);
    const classes = [ownClass ?? name, published?.text ?? name, this.#wordsOf(ownClass)?.text ?? null, code];
    const id = firstId(batch, row, this.#columns.id);
    const hazard_class = this.#classOf(batch, row, name);
    const long = tooLong({ class: hazard_class, name, code, identifier: id });
    if (long !== null) return long;
    // A line or point of an unknown class exists, whatever it is; an area may be anything.
    const looked = !classes.some((text) => text !== null && this.#isUnassessed(comparable(text)));
    const assessed = looked && !(unknown !== null && kind === 'polygon');
    const feature = batch.first + row;
    return {
      load_id: 0,
      source_no: feature,
      layer,
      feature_id: this.#ids.idOf(id, feature),
      shape: kind,
      hazard_class,
      name,
      code,
      severity: assessed ? this.#severity(classes) : null,
      is_assessed: assessed,
      event_date: this.#date(batch, row),
    };
  }

  finish(tally: RowTally): { notes: string[] } {
    tally.unknown = this.#filters.unknown;
    return { notes: this.#notes() };
  }

  #notes(): string[] {
    const { file } = this.#part.feature;
    const notes = [...this.#filters.notes];
    const unknown = Object.entries(this.#filters.unknown).map(([value, rows]) => `${value} (${rows})`);
    if (unknown.length > 0) {
      const fate = this.#part.covered ? 'their places count as unknown' : 'skipped';
      notes.push(`${file}: classes missing from the field map, ${fate}: ${unknown.join(', ')}.`);
    }
    if (this.#unranked.size > 0) {
      const classes = [...this.#unranked].sort(([a], [b]) => (a < b ? -1 : 1));
      const examples = classes.slice(0, LISTED).map(([name, count]) => `${name} (${count})`);
      const suffix = classes.length > LISTED ? ` and ${classes.length - LISTED} more` : '';
      notes.push(`${file}: classes without a severity: ${examples.join(', ')}${suffix}.`);
    }
    if (this.#undated > 0) {
      notes.push(
        `${file}: ${this.#undated} event dates are not in the format ${this.#part.map.event_date!.format} (${this.#undatedExample}) and are null.`,
      );
    }
    return notes;
  }

  /** Returns the kind of listing of a register's feature, else the name without code and schedule. */
  #classOf(batch: Features, row: number, name: string): string {
    if (this.#kind === null) return hazardClass(name);
    const listing = this.#wordsOf(firstText(batch, row, this.#columns.listing));
    return titleCase(listing?.text ?? this.#kind);
  }

  /** Returns the name from the row, else the code list, else the event, else the label, followed by the figure. */
  #name(
    batch: Features,
    row: number,
    published: Published | null,
    code: string | null,
    unknown: string | null,
  ): string {
    const { map, event } = this.#part;
    const name =
      this.#put(published) ??
      this.#names.get(code ?? '') ??
      (unknown === null ? event.name : null) ??
      map.label;
    const figure = firstId(batch, row, this.#columns.detail);
    return figure === null ? titleCase(name) : `${titleCase(name)}, ${figure} ${map.detail!.unit}`;
  }

  /** Returns a published name in readable form; null: it has no meaning, such as `Hazard` or `Yes`. */
  #put(published: Published | null): string | null {
    const { map, layer } = this.#part;
    if (published === null || SAYS_NOTHING.test(published.text)) return null;
    const { text, inWords } = published;
    if (inWords) return text;
    const subject = (map.phrase ?? '').split(/: ?\{\}/)[0]!;
    const saysItself = [layer.replaceAll('_', ' '), subject].some(
      (word) => word !== '' && comparable(text).includes(comparable(word)),
    );
    if (map.phrase !== null && !saysItself) return map.phrase.replace('{}', () => text);
    return NUMBER.test(text) ? `${map.label} ${text}` : text;
  }

  /** Returns a published name, or its meaning in the map. */
  #wordsOf(text: string | null): Published | null {
    if (text === null) return null;
    const words = this.#words.get(comparable(text));
    return { text: words ?? text, inWords: words !== undefined };
  }

  #severity(classes: readonly (string | null)[]): Severity | null {
    if (this.#ranks.size === 0) return null;
    const code = classes.at(-1) ?? null;
    const base = code === null ? null : familyOf(code, this.#bases);
    for (const text of [...classes, base]) {
      const rank = text === null ? undefined : this.#ranks.get(comparable(text));
      if (rank !== undefined) return rank;
    }
    const name = classes[0]!;
    if (this.#unranked.size < MAX_UNRANKED || this.#unranked.has(name))
      this.#unranked.set(name, (this.#unranked.get(name) ?? 0) + 1);
    return null;
  }

  #date(batch: Features, row: number): string | null {
    const { event, map } = this.#part;
    const text = firstText(batch, row, this.#columns.date);
    if (text === null) return event.date;
    const date = eventDate(text, map.event_date!.format);
    if (date !== null) return date;
    this.#undated++;
    this.#undatedExample ||= text.slice(0, 40);
    return event.date;
  }
}
