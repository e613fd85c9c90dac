import { CADASTRE_FIELD_MAPS } from '../../sources/cadastre/field_maps.ts';
import { findField } from '../../sources/formats/columns.ts';
import { HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../../sources/overlays/field_maps.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';

/** Adapters of layers that are read through a named map of their columns. */
export const MAPPED = ['cadastre', 'zoning', 'overlays', 'hazards'] as const;
export type Mapped = (typeof MAPPED)[number];

/** Names of the maps all of whose necessary columns a layer has, by adapter. A map that needs no column fits everywhere. */
export function fittingMaps(columns: readonly { readonly name: string }[]): Record<Mapped, string[]> {
  const has = (aliases: readonly string[]): boolean => findField(columns, aliases) !== null;
  const ifAny = (aliases: readonly string[] | null): boolean =>
    aliases === null || aliases.length === 0 || has(aliases);
  const fitting = <M>(maps: Readonly<Record<string, M>>, fits: (map: M) => boolean): string[] =>
    Object.entries(maps).flatMap(([name, map]) => (fits(map) ? [name] : []));
  return {
    cadastre: fitting(
      CADASTRE_FIELD_MAPS,
      (map) => has(map.parcel_id) && (map.lot_plan === null || map.lot_plan.parts.every(has)),
    ),
    zoning: fitting(ZONING_FIELD_MAPS, (map) => has(map.code) && has(map.name)),
    overlays: fitting(OVERLAY_FIELD_MAPS, ({ layer, code, value }) => {
      const columnsOfValue = {
        code_and_name: () => 'name' in value && has(value.name),
        text: () => 'fields' in value && has(value.fields),
        heritage: () => 'class' in value && has(value.class) && has(value.name),
        height: () => 'figure' in value && has(value.figure),
        lot_size: () => 'figure' in value && has(value.figure),
        ratio: () => 'figure' in value && has(value.figure),
      };
      return ifAny(code) && (!('fields' in layer) || has(layer.fields)) && columnsOfValue[value.rule]();
    }),
    hazards: fitting(
      HAZARD_FIELD_MAPS,
      (map) => ifAny(map.name) && map.filters.every((filter) => filter.optional || has(filter.fields)),
    ),
  };
}
