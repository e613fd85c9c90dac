import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { ColumnFilter } from '../fields/column_filter.ts';
import type { Family } from '../formats/feature.ts';
import type { DateFormat } from './event_date.ts';

/** 1 low, 2 moderate, 3 high, 4 extreme. */
export type Severity = 1 | 2 | 3 | 4;

/** How the features of a register are listed: the class of a feature is the kind of its listing, not its name. */
export interface HeritageListing {
  /** Columns with the kind: the first one that is not blank in its row. */
  readonly fields: readonly string[];
  /** Kind by the name of the file and layer, with `*` for any text: used where no column says it. The first pattern that matches counts. */
  readonly layers: Readonly<Record<string, string>>;
  /** Names of layers whose identifiers need no register in the key: the main register of the publisher. */
  readonly main: readonly string[];
}

/** Where a publisher's layer keeps what a hazard needs. Aliases of a column: in order, without case, as in findField. */
export interface HazardFieldMap {
  /** Layer that it is; null: any, and the dataset says which. */
  readonly layer: HazardLayer | null;
  /** Kinds of shapes that are taken. A file that holds others only is an error, a single other shape a reject. */
  readonly kinds: readonly Family[];
  /** Identifier of a feature that survives a new release; null or absent in the file: file name and feature number. */
  readonly feature_id: readonly string[] | null;
  /** What a feature is called: the first of these columns that is not blank in its row; empty: every feature is named by the label. */
  readonly name: readonly string[];
  /** What ranks and unassessed classes go by, read in the same way; null: the name. */
  readonly class: readonly string[] | null;
  /** The kind of listing; null: the name is the class. */
  readonly listing: HeritageListing | null;
  /** What the publisher's codes and short words mean: `0` is `Vegetation Buffer`; ranks and unassessed classes go by either. */
  readonly words: Readonly<Record<string, string>>;
  /** How a name that says little by itself and has no words is put, with `{}` for it: `Floodplain: {}`; null: as published. */
  readonly phrase: string | null;
  /** Name of a feature whose class is blank or not published. */
  readonly label: string;
  /** Published code; null: none. */
  readonly code: readonly string[] | null;
  /** A figure that is set behind the name, such as the voltage of a line: `Transmission Line, 220 kV`. */
  readonly detail: { readonly fields: readonly string[]; readonly unit: string } | null;
  readonly filters: readonly ColumnFilter[];
  /** Rank by class, or by code or base code; empty: the layer has no ranks. A class that is not listed is in the report. */
  readonly severity: Readonly<Record<string, Severity>>;
  /** Classes that say that nobody looked. */
  readonly unassessed: readonly string[];
  /** Date of the recorded event; null: the layer is modelled or has no dates. */
  readonly event_date: { readonly fields: readonly string[]; readonly format: DateFormat } | null;
  /** True: the publisher maps the whole state, so that no feature means no hazard. It is the default of the option coverage. */
  readonly statewide: boolean;
}

/** A field map with what most layers have: polygons without identifiers, codes, ranks or dates, not statewide. */
export const hazardMap = (
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
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
  ...own,
});
