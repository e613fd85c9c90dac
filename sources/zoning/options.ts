import { z } from 'zod';
import type { DatasetConfig } from '../adapter.ts';
import { aliases, filterOption, inForce } from '../fields/column_filter.ts';
import { type CoverageOption, coverageOption, STATES } from '../release/coverage.ts';
import { type Layers, layersOption } from '../release/feature_release.ts';
import { namedMap, parseOptions } from '../release/options.ts';
import { ZONE_SCHEMES } from './categories.ts';
import { ZONING_FIELD_MAPS, type ZoningFieldMap } from './field_maps.ts';

const inlineMap = z.strictObject({
  zone_id: aliases.nullish(),
  code: aliases.nullish(),
  name: aliases.nullish(),
  detail: aliases.nullish(),
  none: z.array(z.string()).nullish(),
  filters: z.array(filterOption).nullish(),
  status: z.strictObject({ fields: z.array(z.string()).min(1), keep: z.array(z.string()).min(1) }).nullish(),
  prevails: z
    .strictObject({ fields: z.array(z.string()).min(1), starts: z.array(z.string().min(1)).min(1) })
    .nullish(),
  scheme: z.enum(Object.keys(ZONE_SCHEMES) as [string, ...string[]]).nullish(),
});

const optionsSchema = z.strictObject({
  state: z.enum(STATES),
  layers: layersOption,
  field_map: z
    .union([z.string(), inlineMap], {
      error:
        'the name of a map, or {code?, name?, detail?, none?, zone_id?, filters?, status?, prevails?, scheme?}',
    })
    .optional(),
  coverage: coverageOption,
});

/** Reads the state of a zoning dataset and its field map: a named one, one written in the configuration, or the state's own. */
export function readZoningOptions(dataset: DatasetConfig): {
  state: string;
  layers: Layers;
  map: ZoningFieldMap;
  coverage: CoverageOption | undefined;
} {
  const { state, layers, field_map, coverage } = parseOptions(optionsSchema, dataset);
  if (typeof field_map === 'object') {
    const { zone_id, code, name, detail, none, filters, status, prevails, scheme } = field_map;
    return {
      state,
      layers,
      coverage,
      map: {
        zone_id: zone_id ?? null,
        code: code ?? [],
        name: name ?? [],
        detail: detail ?? [],
        none: none ?? [],
        filters: [...(filters ?? []), ...(status ? [inForce(status.fields, status.keep)] : [])],
        prevails: prevails ?? null,
        scheme: scheme ?? null,
        statewide: false,
      },
    };
  }
  const key = field_map ?? (state.toLowerCase() in ZONING_FIELD_MAPS ? state.toLowerCase() : 'generic');
  const map = namedMap(ZONING_FIELD_MAPS, key, dataset, 'zoning field map');
  return { state, layers, map, coverage };
}
