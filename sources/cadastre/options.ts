import { z } from 'zod';
import type { DatasetConfig } from '../adapter.ts';
import { aliases } from '../fields/column_filter.ts';
import { type Layers, layersOption } from '../release/feature_release.ts';
import { namedMap, parseOptions } from '../release/options.ts';
import { CADASTRE_FIELD_MAPS, type CadastreFieldMap } from './field_maps.ts';

const values = z.array(z.string()).min(1);

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text, 'i');
    return true;
  } catch {
    return false;
  }
};

const dropRule = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  fields: z.array(z.string().min(1)).min(1),
  keep: values.optional(),
  drop: values.optional(),
  match: z.string().min(1).refine(isPattern, { error: 'is not a regular expression' }).optional(),
  ended: z.literal(true).optional(),
  blank: z.literal(true).optional(),
});

const rewrite = z.strictObject({
  match: z.string().min(1).refine(isPattern, { error: 'is not a regular expression' }),
  write: z.string(),
});

/** A field map written in the configuration: one column name or several in order of preference. */
const inlineMap = z.strictObject({
  parcel_id: aliases,
  lot_plan: z
    .union([
      aliases.transform((whole) => ({ parts: [whole], separator: '' })),
      z.strictObject({
        parts: z.array(aliases).min(1),
        separator: z.string().default(''),
        patterns: z.array(rewrite).min(1).optional(),
      }),
    ])
    .nullish(),
  unnamed: z.boolean().default(false),
  unite_lots: z.boolean().default(false),
  drops: z.array(dropRule).optional(),
});

const optionsSchema = z.strictObject({
  state: z.enum(['ACT', 'NSW', 'NT', 'OT', 'QLD', 'SA', 'TAS', 'VIC', 'WA']),
  layers: layersOption,
  field_map: z
    .union([z.string(), inlineMap], {
      error: 'the name of a map, or {parcel_id, unnamed?, lot_plan?, unite_lots?, drops?}',
    })
    .optional(),
});

/** Reads the state of a cadastre dataset and its field map: a named one, one written in the configuration, or the state's own. */
export function readCadastreOptions(dataset: DatasetConfig): {
  state: string;
  layers: Layers;
  map: CadastreFieldMap;
} {
  const { state, layers, field_map } = parseOptions(optionsSchema, dataset);
  if (typeof field_map === 'object') {
    return {
      state,
      layers,
      map: {
        parcel_id: field_map.parcel_id,
        unnamed: field_map.unnamed,
        lot_plan: field_map.lot_plan ?? null,
        lot_plan_else: null,
        unite_lots: field_map.unite_lots,
        drops: field_map.drops ?? [],
      },
    };
  }
  const name = field_map ?? state.toLowerCase();
  return { state, layers, map: namedMap(CADASTRE_FIELD_MAPS, name, dataset, 'cadastre field map') };
}
