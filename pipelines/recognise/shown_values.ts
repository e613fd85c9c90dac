import { CADASTRE_FIELD_MAPS } from '../../sources/cadastre/field_maps.ts';
import { findField } from '../../sources/formats/table/columns.ts';
import { HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../../sources/overlays/field_maps.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';
import type { ColumnView } from './file_view.ts';
import type { Proposal } from './map_evidence.ts';

const MAPS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  cadastre: CADASTRE_FIELD_MAPS,
  zoning: ZONING_FIELD_MAPS,
  hazards: HAZARD_FIELD_MAPS,
  overlays: OVERLAY_FIELD_MAPS,
};
/** Fields that decide what a row becomes; the first existing one is shown. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  cadastre: ['lot_plan', 'parcel_id'],
  zoning: ['code', 'name'],
  hazards: ['class', 'code', 'name'],
  overlays: ['code'],
};
/** Maximum values to show for checking the choice. */
const SHOWN = 3;

/** Returns the column names of a map's field. */
function aliasesOf(field: unknown): string[] {
  if (typeof field === 'string') return [field];
  if (Array.isArray(field)) return field.flat().filter((each) => typeof each === 'string');
  return field !== null && typeof field === 'object' && 'parts' in field ? aliasesOf(field.parts) : [];
}

/** Returns the column that decides what rows become, with some of its values: `code from ZONE_CODE: GRZ1, UGZ, MUZ`. Null: none. */
export function shownValues({ adapter, options }: Proposal, columns: readonly ColumnView[]): string | null {
  const configured = options.field_map;
  const map = typeof configured === 'string' ? MAPS[adapter]?.[configured] : configured;
  const filled = columns.filter((column) => column.filled > 0);
  for (const field of DECIDING[adapter] ?? []) {
    const aliases = aliasesOf((map as Readonly<Record<string, unknown>> | undefined)?.[field]);
    const column = aliases.length === 0 ? null : findField(filled, aliases);
    if (column !== null) return `${field} from ${column.name}: ${column.values.slice(0, SHOWN).join(', ')}`;
  }
  return null;
}
