import { z } from 'zod';
import { aliases, type ColumnFilter } from '../fields/column_filter.ts';
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
export const valueRule = z.discriminatedUnion('rule', [
  z.strictObject({ rule: z.literal('code_and_name'), name: aliases }),
  z.strictObject({ rule: z.enum(['height', 'lot_size']), figure: aliases, unit: aliases }),
  z.strictObject({ rule: z.literal('ratio'), figure: aliases }),
  z.strictObject({ rule: z.literal('heritage'), class: aliases, id: aliases, name: aliases }),
  z.strictObject({
    rule: z.literal('text'),
    fields: aliases,
    unit: z.string().min(1).nullable().default(null),
  }),
]);
export type ValueRule = Readonly<z.output<typeof valueRule>>;

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
