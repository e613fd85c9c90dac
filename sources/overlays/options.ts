import { z } from 'zod';
import type { DatasetConfig } from '../adapter.ts';
import { aliases, filterOption } from '../fields/column_filter.ts';
import { type CoverageOption, coverageOption, STATES } from '../release/coverage.ts';
import { type Layers, layersOption } from '../release/feature_release.ts';
import { namedMap, parseOptions } from '../release/options.ts';
import { FAMILY_LISTS, type OverlayFieldMap, valueRule } from './field_map.ts';
import { OVERLAY_FIELD_MAPS } from './field_maps.ts';

const families = Object.keys(FAMILY_LISTS) as [keyof typeof FAMILY_LISTS];

const inlineMap = z
  .strictObject({
    overlay_id: aliases.nullable().default(null),
    layer: z.union([
      z.strictObject({ is: z.string().min(1).max(200) }),
      z.strictObject({ fields: aliases }),
      z.strictObject({ families: z.enum(families) }),
    ]),
    code: aliases.nullable().default(null),
    filters: z.array(filterOption).default([]),
    value: valueRule,
  })
  .transform((own): OverlayFieldMap => ({ ...own, statewide: false }));

const optionsSchema = z.strictObject({
  state: z.enum(STATES),
  layers: layersOption,
  field_map: z
    .union([z.string(), inlineMap], {
      error:
        'the name of a map, or {layer: {is|fields|families}, value: {rule: code_and_name|height|lot_size|ratio|heritage|text, …}, code?, overlay_id?, filters?}',
    })
    .optional(),
  coverage: coverageOption,
});

export interface OverlayOptions {
  readonly state: string;
  readonly layers: Layers;
  readonly map: OverlayFieldMap;
  /** True: the configuration contains the field map. */
  readonly inline: boolean;
  readonly coverage: CoverageOption | undefined;
}

/**
 * Reads the state of an overlay dataset and its field map: a named one, one written in the configuration, or the state's own. EtlError
 * `bad_option`; a state with several maps needs the name of one.
 */
export function readOverlayOptions(dataset: DatasetConfig): OverlayOptions {
  const { state, layers, field_map, coverage } = parseOptions(optionsSchema, dataset);
  if (typeof field_map === 'object') return { state, layers, map: field_map, inline: true, coverage };
  const names = Object.keys(OVERLAY_FIELD_MAPS);
  const stateKey = state.toLowerCase();
  const name = field_map ?? (names.some((each) => each.startsWith(stateKey)) ? stateKey : 'generic');
  const map = namedMap(OVERLAY_FIELD_MAPS, name, dataset, 'overlay field map');
  return { state, layers, map, inline: false, coverage };
}
