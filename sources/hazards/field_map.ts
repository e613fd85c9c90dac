import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { ColumnFilter } from '../fields/column_filter.ts';
import type { Family } from '../formats/feature.ts';
import type { DateFormat } from './event_date.ts';

/** 1 low, 2 moderate, 3 high, 4 extreme. */
export type Severity = 1 | 2 | 3 | 4;

/** How a register classifies its features: the class of a feature is the kind of its listing, not its name. */
export interface HeritageListing {
  /** Columns of the kind: the first that is not blank in its row. */
  readonly fields: readonly string[];
  /** Kind by the name of the file and layer, used if no column states it; `*` matches any text. The first pattern that matches counts. */
  readonly layers: Readonly<Record<string, string>>;
  /** Names of layers whose keys need no register: the publisher's main register. */
  readonly main: readonly string[];
}

/** Columns of a publisher's layer for each value of a hazard. Aliases of a column: in order, without case, as in findField. */
export interface HazardFieldMap {
  /** Hazard layer of the features; null: any, and the dataset states it. */
  readonly layer: HazardLayer | null;
  /** Shape families that are read. A file with others only is an error; a single other shape is a reject. */
  readonly kinds: readonly Family[];
  /** Identifier of a feature that stays the same in a new release; null or absent in the file: file name and feature number. */
  readonly feature_id: readonly string[] | null;
  /** Name of a feature: the first of these columns that is not blank in its row; empty: every feature is named by the label. */
  readonly name: readonly string[];
  /** Columns that ranks and unassessed classes are looked up by, read in the same way; null: the name. */
  readonly class: readonly string[] | null;
  /** Kind of listing; null: the name is the class. */
  readonly listing: HeritageListing | null;
  /** Meanings of the publisher's codes and short words: `0` is `Vegetation Buffer`. Ranks and unassessed classes may use either. */
  readonly words: Readonly<Record<string, string>>;
  /** Template for a name that is unclear by itself and has no words; `{}` is the name: `Floodplain: {}`; null: as published. */
  readonly phrase: string | null;
  /** Name of a feature whose class is blank or not published. */
  readonly label: string;
  /** Published code; null: none. */
  readonly code: readonly string[] | null;
  /** Figure appended to the name, such as the voltage of a line: `Transmission Line, 220 kV`. */
  readonly detail: { readonly fields: readonly string[]; readonly unit: string } | null;
  readonly filters: readonly ColumnFilter[];
  /** Rank by class, or by code or base code; empty: the layer has no ranks. The run report lists classes without a rank. */
  readonly severity: Readonly<Record<string, Severity>>;
  /** Classes that mean "not assessed". */
  readonly unassessed: readonly string[];
  /** Date of the recorded event; null: the layer is modelled or has no dates. */
  readonly event_date: { readonly fields: readonly string[]; readonly format: DateFormat } | null;
  /** True: the publisher maps the whole state, so no feature means no hazard. Default of the option coverage. */
  readonly statewide: boolean;
}

/** Builds a field map with defaults that fit most layers: polygons without identifiers, codes, ranks or dates, not statewide. */
export const hazardMap = (
  ownFields: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap => ({
  kinds: ['polygon'],
  feature_id: null,
  name: [],
  class: null,
  listing: null,
  words: {},
  phrase: null,
  code: null,
  detail: null,
  filters: [],
  severity: {},
  unassessed: [],
  event_date: null,
  statewide: false,
  ...ownFields,
});
