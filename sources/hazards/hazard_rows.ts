import type { HazardLayer, hazardPieceRecord } from '../../schema/records/hazard.ts';
import type { Row } from '../../schema/table.ts';
import { familyOf } from '../formats/code_family.ts';
import { ColumnFilters } from '../formats/column_filter.ts';
import { findField } from '../formats/columns.ts';
import { comparable } from '../formats/comparable_text.ts';
import type { Family, FeatureField, FeatureSource, Features, Problem } from '../formats/feature.ts';
import { FeatureIds } from '../formats/feature_ids.ts';
import type { FeatureRows, PieceColumns } from '../formats/feature_pieces.ts';
import { tidyText, tooLong } from '../formats/tidy_text.ts';
import { titleCase } from '../formats/title_case.ts';
import { eventDate } from './event_date.ts';
import type { HazardFieldMap, Severity } from './field_map.ts';
import type { FloodEvent } from './options.ts';

/** The columns of a hazard besides those of its pieces. */
export type HazardColumns = Omit<Row<typeof hazardPieceRecord>, keyof PieceColumns>;

/** What the rows of one file are read with. */
export interface HazardFile {
  readonly feature: FeatureSource;
  readonly layer: HazardLayer;
  readonly map: HazardFieldMap;
  readonly event: FloodEvent;
  /** Before the publisher's identifiers, and before the numbers of features without one. */
  readonly prefix: string;
  readonly unnamed: string;
}

/** Classes listed in a note; more of them are counted. */
const LISTED = 20;
/** Distinct classes without a severity that are kept for the report. */
const MAX_UNRANKED = 1000;

interface Columns {
  readonly id: FeatureField | null;
  readonly name: FeatureField | null;
  readonly code: FeatureField | null;
  readonly detail: FeatureField | null;
  readonly date: FeatureField | null;
}

/** Turns the rows of one file into hazards, and keeps what the report says of them. */
export class HazardRows implements FeatureRows<HazardColumns> {
  readonly wanted: readonly (FeatureField | null)[];
  readonly #part: HazardFile;
  readonly #columns: Columns;
  readonly #filters: ColumnFilters;
  readonly #names: ReadonlyMap<string, string>;
  readonly #ids: FeatureIds;
  readonly #ranks: ReadonlyMap<string, Severity>;
  readonly #bases: readonly string[];
  readonly #unassessed: ReadonlySet<string>;
  readonly #unranked = new Map<string, number>();
  #undated = 0;
  #undatedExample = '';

  constructor(part: HazardFile, fields: readonly FeatureField[], names: ReadonlyMap<string, string>) {
    const { map, feature } = part;
    const find = (aliases: readonly string[] | null | undefined): FeatureField | null =>
      aliases == null ? null : findField(fields, aliases);
    this.#part = part;
    this.#names = names;
    this.#filters = new ColumnFilters(map.filters, fields, feature.file);
    this.#columns = {
      id: find(map.feature_id),
      name: find(map.name),
      code: find(map.code),
      detail: find(map.detail?.fields),
      date: find(map.event_date?.fields),
    };
    this.wanted = [...this.#filters.fields, ...Object.values(this.#columns)];
    this.#ids = new FeatureIds(part.prefix, part.unnamed);
    const ranks = Object.entries(map.severity);
    this.#ranks = new Map(ranks.map(([text, rank]) => [comparable(text), rank]));
    this.#bases = ranks.map(([text]) => text.toUpperCase());
    this.#unassessed = new Set(map.unassessed.map(comparable));
  }

  dropOf(batch: Features, row: number): string | null {
    return this.#filters.dropOf(batch, row);
  }

  attributes(batch: Features, row: number, kind: Family): HazardColumns | Problem {
    const { id: idField, code: codeField } = this.#columns;
    const { layer } = this.#part;
    const code = codeField === null ? null : tidyText(batch.id(row, codeField));
    const name = this.#name(batch, row, code);
    const id = idField === null ? null : tidyText(batch.id(row, idField));
    const long = tooLong({ class: name, code, identifier: id });
    if (long !== null) return long;
    const assessed = !this.#isUnassessed(name, code);
    const feature = batch.first + row;
    return {
      load_id: 0,
      source_no: feature,
      layer,
      feature_id: this.#ids.idOf(id, feature),
      shape: kind,
      name,
      code,
      severity: assessed ? this.#severity(name, code) : null,
      is_assessed: assessed,
      event_date: this.#date(batch, row),
    };
  }

  notes(): string[] {
    const { file } = this.#part.feature;
    const notes = [...this.#filters.notes];
    if (this.#unranked.size > 0) {
      const classes = [...this.#unranked].sort(([a], [b]) => (a < b ? -1 : 1));
      const listed = classes.slice(0, LISTED).map(([name, count]) => `${name} (${count})`);
      const more = classes.length > LISTED ? ` and ${classes.length - LISTED} more` : '';
      notes.push(`${file}: classes without a severity: ${listed.join(', ')}${more}.`);
    }
    if (this.#undated > 0) {
      notes.push(
        `${file}: ${this.#undated} event dates are no days written as ${this.#part.map.event_date!.format} (${this.#undatedExample}); they are null.`,
      );
    }
    return notes;
  }

  /** Class of the row, else of the code list, else the event, else the label; with the figure behind it. */
  #name(batch: Features, row: number, code: string | null): string {
    const { map, event } = this.#part;
    const { name: nameField, detail } = this.#columns;
    const published = nameField === null ? null : tidyText(batch.text(row, nameField));
    const name = published ?? this.#names.get(code ?? '') ?? event.name ?? map.label;
    const figure = detail === null ? null : tidyText(batch.id(row, detail));
    return figure === null ? titleCase(name) : `${titleCase(name)}, ${figure} ${map.detail!.unit}`;
  }

  #isUnassessed(name: string, code: string | null): boolean {
    if (this.#unassessed.size === 0) return false;
    return (
      this.#unassessed.has(comparable(name)) || (code !== null && this.#unassessed.has(comparable(code)))
    );
  }

  #severity(name: string, code: string | null): Severity | null {
    if (this.#ranks.size === 0) return null;
    const base = code === null ? null : familyOf(code, this.#bases);
    for (const text of [name, code, base]) {
      const rank = text === null ? undefined : this.#ranks.get(comparable(text));
      if (rank !== undefined) return rank;
    }
    if (this.#unranked.size < MAX_UNRANKED || this.#unranked.has(name))
      this.#unranked.set(name, (this.#unranked.get(name) ?? 0) + 1);
    return null;
  }

  #date(batch: Features, row: number): string | null {
    const { event, map } = this.#part;
    const { date: field } = this.#columns;
    const text = field === null ? null : tidyText(batch.text(row, field));
    if (text === null) return event.date;
    const date = eventDate(text, map.event_date!.format);
    if (date !== null) return date;
    this.#undated++;
    this.#undatedExample ||= text.slice(0, 40);
    return event.date;
  }
}
