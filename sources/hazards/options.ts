import { z } from 'zod';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import type { DatasetConfig } from '../adapter.ts';
import {
  aliases,
  type ColumnFilter,
  filterOption,
  listedInRegister,
  stillListed,
  withStatusRule,
} from '../fields/column_filter.ts';
import { type CoverageOption, coverageOption, NATIONAL, STATES } from '../release/coverage.ts';
import { type Layers, layersOption } from '../release/feature_release.ts';
import { badOption, namedMap, parseOptions } from '../release/options.ts';
import { DATE_FORMATS, eventDate } from './event_date.ts';
import { type HazardFieldMap, hazardMap, type Severity } from './field_map.ts';
import { defaultFieldMap, HAZARD_FIELD_MAPS } from './field_maps.ts';
import { OTHER_REGISTERS } from './maps/heritage.ts';

/** Layers that this adapter reads; public housing comes from the census. */
const READ_LAYERS = HAZARD_LAYERS.filter((layer) => layer !== 'public_housing');

const severity = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]);

const inlineMap = z.strictObject({
  label: z.string().min(1).max(200),
  kinds: z
    .array(z.enum(['polygon', 'line', 'point']))
    .min(1)
    .optional(),
  feature_id: aliases.nullish(),
  name: aliases.nullish(),
  class: aliases.nullish(),
  listing: aliases.nullish(),
  words: z.record(z.string(), z.string().min(1)).optional(),
  phrase: z.string().includes('{}').max(200).nullish(),
  code: aliases.nullish(),
  detail: z.strictObject({ fields: aliases, unit: z.string().min(1) }).nullish(),
  filters: z.array(filterOption).optional(),
  severity: z.record(z.string(), severity).optional(),
  unassessed: z.array(z.string()).optional(),
  event_date: z.strictObject({ fields: aliases, format: z.enum(DATE_FORMATS).default('iso') }).nullish(),
});

const optionsSchema = z.strictObject({
  state: z.enum([...STATES, NATIONAL]),
  layer: z.enum(READ_LAYERS as [HazardLayer, ...HazardLayer[]]).optional(),
  layers: layersOption,
  field_map: z
    .union([z.string(), inlineMap], {
      error:
        'the name of a map, or {label, name?, class?, listing?, words?, phrase?, code?, feature_id?, filters?, severity?, unassessed?, …}',
    })
    .optional(),
  event: z
    .strictObject({
      name: z.string().min(1).max(200).optional(),
      date: z
        .string()
        .refine((text) => eventDate(text, 'iso') === text, 'a day, written 2011-01-13')
        .optional(),
    })
    .optional(),
  coverage: coverageOption,
});

/** Event of all features of a dataset; a feature's own value takes precedence. */
export interface FloodEvent {
  readonly name: string | null;
  readonly date: string | null;
}

export interface HazardOptions {
  readonly state: string;
  readonly layer: HazardLayer;
  readonly layers: Layers;
  readonly map: HazardFieldMap;
  /** Name of the field map; null: the configuration contains the map. */
  readonly mapName: string | null;
  readonly event: FloodEvent;
  readonly coverage: CoverageOption | undefined;
}

/** Reads the options of a hazard dataset. EtlError `bad_option` if the layer is missing or contradicts the field map. */
export function readHazardOptions(dataset: DatasetConfig): HazardOptions {
  const { state, layer, layers, field_map, event, coverage } = parseOptions(optionsSchema, dataset);
  const shared = {
    state,
    layers,
    coverage,
    event: { name: event?.name ?? null, date: event?.date ?? null },
  };
  if (typeof field_map === 'object') {
    if (layer === undefined)
      throw badOption(
        dataset,
        `with a field_map of its own it must name its layer: ${READ_LAYERS.join(', ')}`,
      );
    return { ...shared, layer, map: mapOf(layer, field_map), mapName: null };
  }
  const name = field_map ?? (layer === undefined ? null : defaultFieldMap(state, layer));
  if (name === null) throw badOption(dataset, `it must name its layer: ${READ_LAYERS.join(', ')}`);
  const map = namedMap(HAZARD_FIELD_MAPS, name, dataset, 'hazard field map');
  const of = map.layer ?? layer;
  if (of === undefined)
    throw badOption(dataset, `with the field map ${name} it must name its layer: ${READ_LAYERS.join(', ')}`);
  if (layer !== undefined && layer !== of)
    throw badOption(dataset, `the field map ${name} is of the layer ${of}, the option layer says ${layer}`);
  // The generic map names an unnamed feature after the subject of its layer.
  const listing = of === 'heritage' ? OTHER_REGISTERS : null;
  const filters = filtersOf(of, map.filters);
  const labelled = map.layer === null ? { ...map, label: HAZARDS[of].feature, listing, filters } : map;
  return { ...shared, layer: of, map: labelled, mapName: name };
}

/** Adds the rule on statuses to the filters of a map that is no publisher's. */
function filtersOf(layer: HazardLayer, filters: readonly ColumnFilter[]): readonly ColumnFilter[] {
  if (layer === 'heritage') return withStatusRule(filters, listedInRegister());
  return layer === 'environment' ? withStatusRule(filters, stillListed) : filters;
}

function mapOf(layer: HazardLayer, ownMap: z.output<typeof inlineMap>): HazardFieldMap {
  return hazardMap({
    layer,
    label: ownMap.label,
    kinds: ownMap.kinds ?? ['polygon', 'line', 'point'],
    feature_id: ownMap.feature_id ?? null,
    name: ownMap.name ?? [],
    class: ownMap.class ?? null,
    listing: ownMap.listing ? { ...OTHER_REGISTERS, fields: ownMap.listing } : null,
    words: ownMap.words ?? {},
    phrase: ownMap.phrase ?? null,
    code: ownMap.code ?? null,
    detail: ownMap.detail ?? null,
    filters: filtersOf(layer, ownMap.filters ?? []),
    severity: (ownMap.severity ?? {}) as Readonly<Record<string, Severity>>,
    unassessed: ownMap.unassessed ?? [],
    event_date: ownMap.event_date ?? null,
  });
}
