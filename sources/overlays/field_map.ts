import type { ColumnFilter } from '../fields/column_filter.ts';
import { VIC_OVERLAYS } from '../layers/vic_overlays.ts';

/** Lists of overlay families by name: base codes and overlay names. */
export const FAMILY_LISTS = { vic: VIC_OVERLAYS } as const satisfies Record<
  string,
  Readonly<Record<string, string>>
>;

/** Source of an overlay's layer: a constant, a column, or the family of its code. */
type LayerRule =
  | { readonly is: string }
  | { readonly fields: readonly string[] }
  | { readonly families: keyof typeof FAMILY_LISTS };

/**
 * How the value of an overlay is built, see value.ts. `code_and_name`: the code and a description. `height` and `lot_size`: a figure and
 * its unit. `ratio`: a figure. `heritage`: class, item number and name. `text`: the first column that is not blank, with a unit after a
 * figure.
 */
export type ValueRule =
  | { readonly rule: 'code_and_name'; readonly name: readonly string[] }
  | {
      readonly rule: 'height' | 'lot_size';
      readonly figure: readonly string[];
      readonly unit: readonly string[];
    }
  | { readonly rule: 'ratio'; readonly figure: readonly string[] }
  | {
      readonly rule: 'heritage';
      readonly class: readonly string[];
      readonly id: readonly string[];
      readonly name: readonly string[];
    }
  | { readonly rule: 'text'; readonly fields: readonly string[]; readonly unit: string | null };

/** Columns of a publisher's layer for each value of an overlay. Aliases of a column: in order, without case, as in findField. */
export interface OverlayFieldMap {
  /** Identifier of a feature that stays the same in a new release; null or absent in the file: file name and feature number. */
  readonly overlay_id: readonly string[] | null;
  readonly layer: LayerRule;
  /** Published code; null: none. */
  readonly code: readonly string[] | null;
  readonly filters: readonly ColumnFilter[];
  readonly value: ValueRule;
  /** True: the layer holds every overlay of the state. Default of the option coverage. */
  readonly statewide: boolean;
}
