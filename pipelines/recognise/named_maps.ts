import { CADASTRE_FIELD_MAPS } from '../../sources/cadastre/field_maps.ts';
import { type ColumnFilter, ownFields, verdictsOf } from '../../sources/fields/column_filter.ts';
import { findField } from '../../sources/formats/table/columns.ts';
import { HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../../sources/overlays/field_maps.ts';
import { NATIONAL, STATES } from '../../sources/release/coverage.ts';
import { zoneCategory } from '../../sources/zoning/categories.ts';
import { ZONING_FIELD_MAPS } from '../../sources/zoning/field_maps.ts';
import type { InspectedLayer, LayerColumn } from './layer_view.ts';

type Aliases = readonly string[];

/** A field map as `inspect` uses it: its columns, and how it reads their values. */
export interface NamedMap {
  readonly adapter: 'cadastre' | 'zoning' | 'overlays' | 'hazards';
  readonly name: string;
  /** State of its publisher; AU: national; null: any. */
  readonly state: string | null;
  /** Hazard layer that it reads; null: not a hazard map, or any. */
  readonly layer: string | null;
  /** Aliases of every column that it may read. */
  readonly columns: readonly Aliases[];
  /** Geometry kinds that it accepts. */
  readonly kinds: readonly string[];
  readonly filters: readonly ColumnFilter[];
  /** Returns whether all required columns exist. */
  fits(has: (aliases: Aliases) => boolean): boolean;
  /** Returns the share of rows with a class or name that it knows; null: it lists none. */
  knows(column: (aliases: Aliases) => LayerColumn | null): number | null;
}

const stateOf = (name: string): string | null => {
  const state = name.split('_')[0]!.toUpperCase();
  return state === NATIONAL || (STATES as readonly string[]).includes(state) ? state : null;
};

/** Returns the share of a column's filled rows that meet a condition. */
function share({ values }: LayerColumn, holds: (text: string) => boolean): number {
  let [all, held] = [0, 0];
  for (const [text, n] of values) {
    all += n;
    if (holds(text)) held += n;
  }
  return all === 0 ? 0 : held / all;
}

const POLYGON = ['polygon'];
const nothing = (): null => null;

/** Columns that only one product has, for maps that read nothing but an object id. */
const SIGNS: Readonly<Record<string, Aliases>> = { wa: ['view_scale'] };

const cadastre = Object.entries(CADASTRE_FIELD_MAPS).map(([name, map]): NamedMap => {
  const lots = [map.lot_plan, map.lot_plan_else].filter((lot) => lot !== null);
  const drops = map.drops.map(({ fields }) => fields);
  return {
    adapter: 'cadastre',
    name,
    state: stateOf(name),
    layer: null,
    columns: [map.parcel_id, ...lots.flatMap(({ parts }) => parts), ...drops, SIGNS[name] ?? []],
    kinds: POLYGON,
    filters: [],
    fits: (has) =>
      (map.unnamed || has(map.parcel_id)) &&
      (lots.some(({ parts }) => parts.every(has)) ||
        (map.lot_plan === null && drops.some(has)) ||
        has(SIGNS[name] ?? [])),
    knows: nothing,
  };
});

const zoning = Object.entries(ZONING_FIELD_MAPS).map(
  ([name, map]): NamedMap => ({
    adapter: 'zoning',
    name,
    state: stateOf(name),
    layer: null,
    columns: [map.code, map.name, map.detail, map.zone_id ?? [], map.prevails?.fields ?? []]
      .flatMap((aliases) => aliases.map((alias) => [alias]))
      .concat(map.filters.map(({ fields }) => [...fields])),
    kinds: POLYGON,
    filters: map.filters,
    fits: (has) => has(map.code) || has(map.name),
    knows: (column) => {
      if (map.scheme === null) return null;
      const [code, called] = [column(map.code), column(map.name)];
      return Math.max(
        code === null ? 0 : share(code, (text) => zoneCategory(map.scheme, text, null) !== null),
        called === null ? 0 : share(called, (text) => zoneCategory(map.scheme, null, text) !== null),
      );
    },
  }),
);

const overlays = Object.entries(OVERLAY_FIELD_MAPS).map(([name, map]): NamedMap => {
  const { value } = map;
  const valued: Aliases[] =
    value.rule === 'code_and_name'
      ? [value.name]
      : value.rule === 'heritage'
        ? [value.class, value.id, value.name]
        : value.rule === 'text'
          ? value.fields.map((field) => [field])
          : [value.figure, ...('unit' in value ? [value.unit] : [])];
  const needed = value.rule === 'text' ? [value.fields] : [valued.at(value.rule === 'heritage' ? -1 : 0)!];
  const fieldLists = 'fields' in map.layer ? [map.layer.fields] : [];
  const coded = 'families' in map.layer && map.code !== null ? [map.code] : [];
  return {
    adapter: 'overlays',
    name,
    state: stateOf(name),
    layer: null,
    columns: [
      ...valued,
      ...fieldLists,
      map.code ?? [],
      map.overlay_id ?? [],
      ...map.filters.map((f) => f.fields),
    ],
    kinds: POLYGON,
    filters: map.filters,
    fits: (has) => [...needed, ...fieldLists, ...coded].every(has),
    knows: nothing,
  };
});

const hazards = Object.entries(HAZARD_FIELD_MAPS).map(
  ([name, map]): NamedMap => ({
    adapter: 'hazards',
    name,
    state: stateOf(name),
    layer: map.layer,
    columns: [
      map.name,
      map.class ?? [],
      map.code ?? [],
      map.feature_id ?? [],
      map.detail?.fields ?? [],
      map.event_date?.fields ?? [],
      ...map.filters.map(ownFields),
    ],
    kinds: map.kinds,
    filters: map.filters,
    fits: (has) => map.filters.every(({ optional, fields }) => optional || has(fields)),
    knows: (column) => {
      const ranked = column(map.class ?? map.name);
      const words = new Set([...Object.keys(map.severity), ...Object.keys(map.words)].map(plain));
      return ranked === null || words.size === 0 ? null : share(ranked, (text) => words.has(plain(text)));
    },
  }),
);

const plain = (text: string): string => text.trim().toLowerCase();

/** Every named field map of the adapters for layers. */
export const NAMED_MAPS: readonly NamedMap[] = [...cadastre, ...zoning, ...hazards, ...overlays];

/** Columns that say whether a feature is in force, not what it is. */
const STATUS = /status|stage|lifecycle/i;

/**
 * Compares a map's filter lists with a layer: shares of rows accepted and known, and whether a list is of classes. Null: the layer has no
 * listed column.
 */
export function bestMatch(
  { filters }: NamedMap,
  column: (aliases: Aliases) => LayerColumn | null,
): { taken: number; known: number; isOfClass: boolean } | null {
  const lists = filters.filter(
    (each) =>
      !each.keep.includes('*') && !(each.other ?? []).includes('*') && ownFields(each) === each.fields,
  );
  const isOfClass = lists.some((each) => !STATUS.test(column(each.fields)?.name ?? 'status'));
  let best: { taken: number; known: number; isOfClass: boolean } | null = null;
  for (const each of lists) {
    const at = column(each.fields);
    if (at === null) continue;
    const verdict = verdictsOf(each, true);
    best = {
      taken: share(at, (text) => verdict(text) === 'take'),
      known: share(at, (text) => verdict(text) !== 'unknown'),
      isOfClass,
    };
  }
  return best;
}

/** Finds the first non-empty column of a layer with one of the aliases. */
export const columnIn =
  ({ columns }: Pick<InspectedLayer, 'columns'>) =>
  (aliases: Aliases): LayerColumn | null =>
    findField(
      columns.filter(({ values }) => values.size > 0),
      aliases,
    );
