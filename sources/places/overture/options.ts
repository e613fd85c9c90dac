import { z } from 'zod';
import { PLACE_CATEGORIES, type PlaceCategory } from '../../../schema/records/place.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { parseOptions } from '../../release/options.ts';
import { OVERTURE_CATEGORIES } from './categories.ts';

const names = z.partialRecord(z.enum(PLACE_CATEGORIES), z.array(z.string().min(1)));

const optionsSchema = z.strictObject({
  min_confidence: z.number().min(0).max(1).default(0.5),
  regions: z
    .array(z.string().regex(/^(AU-)?(NSW|VIC|QLD|SA|WA|TAS|NT|ACT)$/, 'is written AU-VIC'))
    .min(1)
    .transform((regions) => regions.map((region) => region.replace(/^AU-/, '')))
    .optional(),
  categories: names.default({}),
  extra_categories: names.default({}),
});

/** Options of an Overture dataset; survives structured cloning. */
export interface OvertureOptions {
  readonly min_confidence: number;
  /** States to keep, without `AU-`; null: all. */
  readonly regions: readonly string[] | null;
  readonly categories: Readonly<Record<PlaceCategory, readonly string[]>>;
}

/** Reads the options of an Overture dataset: `categories` replaces the names of a category, `extra_categories` adds to them. */
export function readOvertureOptions(dataset: DatasetConfig): OvertureOptions {
  const { min_confidence, regions, categories, extra_categories } = parseOptions(optionsSchema, dataset);
  const chosen = PLACE_CATEGORIES.map((category) => [
    category,
    [...(categories[category] ?? OVERTURE_CATEGORIES[category]), ...(extra_categories[category] ?? [])],
  ]);
  return { min_confidence, regions: regions ?? null, categories: Object.fromEntries(chosen) as never };
}
