import { z } from 'zod';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import type { DatasetConfig } from '../adapter.ts';
import { namedMap, parseOptions } from '../release/options.ts';
import { fieldMapOf, SCHOOL_FIELD_MAPS, SCHOOL_FIELDS, type SchoolFieldMap } from './field_maps.ts';

const names = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

const inlineMap = z.strictObject({
  ...Object.fromEntries(SCHOOL_FIELDS.map((field) => [field, names.optional()])),
  school_id: names,
  name: names,
  open: z.array(z.string().min(1)).default([]),
  ids: z.enum(['acara', 'state']).default('state'),
});

const optionsSchema = z.strictObject({
  state: z.enum(Object.values(STATE_OF_DIGIT) as [string, ...string[]]).optional(),
  year: z.int().min(1990).max(2100).optional(),
  field_map: z
    .union([z.string(), inlineMap], { error: 'the name of a map, or {school_id, name, lon?, lat?, …}' })
    .optional(),
});

/** Settings of a schools dataset. */
export interface SchoolOptions {
  /** State of every school, if the list has no column of it; null: the column states it. */
  readonly state: string | null;
  /** Calendar year to read; null: the latest of each file. */
  readonly year: number | null;
  /** Field map of every file; null: chosen by the columns of each file. */
  readonly map: SchoolFieldMap | null;
}

export function readSchoolOptions(dataset: DatasetConfig): SchoolOptions {
  const { state = null, year = null, field_map } = parseOptions(optionsSchema, dataset);
  if (field_map === undefined) return { state, year, map: null };
  if (typeof field_map === 'object') {
    const { open, ids, ...columns } = field_map;
    return { state, year, map: fieldMapOf(columns, open, ids) };
  }
  return { state, year, map: namedMap(SCHOOL_FIELD_MAPS, field_map, dataset, 'schools field map') };
}
