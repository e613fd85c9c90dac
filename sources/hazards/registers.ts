import { matcherOf } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import type { FeaturePlace } from '../formats/feature.ts';
import type { HeritageListing } from './field_map.ts';

/** Returns the names of a file and its layer, with blanks for punctuation. */
const namesOf = ({ file, layer }: FeaturePlace): string =>
  comparable(
    `${file.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '')} ${layer ?? ''}`.replace(/[^a-z0-9]+/gi, ' '),
  );

/** Returns the letters of the names of a file and its layer: numbers and dates change with each release. */
const lettersOf = (location: FeaturePlace): string =>
  namesOf(location)
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .replaceAll(' ', '_');

/** Returns the kind of listing in the names of file and layer; null: none. */
export function kindOfLayer({ layers }: HeritageListing, location: FeaturePlace): string | null {
  const names = namesOf(location);
  return Object.entries(layers).find(([pattern]) => matcherOf([pattern])(names))?.[1] ?? null;
}

/**
 * Returns the prefix of a layer's identifiers in keys: one publisher's registers may use the same numbers. Empty: the main register, or a
 * single layer whose name states no kind.
 */
export function registerKey(listing: HeritageListing, location: FeaturePlace, isOnly: boolean): string {
  if (matcherOf(listing.main)(namesOf(location))) return '';
  const letters = lettersOf(location);
  return letters === '' || (isOnly && kindOfLayer(listing, location) === null) ? '' : `${letters}/`;
}
