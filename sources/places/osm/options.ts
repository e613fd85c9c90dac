import { z } from 'zod';
import { PLACE_CATEGORIES, type PlaceCategory } from '../../../schema/records/place.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { parseOptions } from '../../release/options.ts';
import { TAG_RULES } from './tag_rules.ts';

const tag = z.string().regex(/^[^=\s]+=[^=;]+$/, 'is written key=value, for example shop=convenience');

const optionsSchema = z.strictObject({
  tags: z.partialRecord(z.enum(PLACE_CATEGORIES), z.array(tag)).default({}),
  extra_tags: z.partialRecord(z.enum(PLACE_CATEGORIES), z.array(tag)).default({}),
});

/** Tags of each category of a dataset; survives structured cloning. */
export type TagChoice = Readonly<Record<PlaceCategory, readonly string[]>>;

/**
 * Reads the options of an OpenStreetMap dataset. `tags` replaces the tags of a category; an empty list leaves it out. `extra_tags` adds to
 * them, for example {supermarket: [shop=convenience], restaurant: [amenity=fast_food], green_space: [natural=wood]}.
 */
export function readOsmOptions(dataset: DatasetConfig): TagChoice {
  const { tags, extra_tags } = parseOptions(optionsSchema, dataset);
  return Object.fromEntries(
    PLACE_CATEGORIES.map((category) => [
      category,
      [...(tags[category] ?? TAG_RULES[category]), ...(extra_tags[category] ?? [])],
    ]),
  ) as unknown as TagChoice;
}
