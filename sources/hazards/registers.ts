import { listed } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import type { FeaturePlace } from '../formats/feature.ts';
import type { HeritageListing } from './field_map.ts';

/** Returns the names of a file and its layer, with blanks for punctuation. */
const namesOf = ({ file, layer }: FeaturePlace): string =>
  comparable(
    `${file.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '')} ${layer ?? ''}`.replace(/[^a-z0-9]+/gi, ' '),
  );

/** Returns the letters of the names of a file and its layer: numbers and dates change with each release. */
const lettersOf = (place: FeaturePlace): string =>
  namesOf(place)
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .replaceAll(' ', '_');

/** Returns the kind of listing in the names of file and layer; null: none. */
export function kindOfLayer({ layers }: HeritageListing, place: FeaturePlace): string | null {
  const names = namesOf(place);
  return Object.entries(layers).find(([pattern]) => listed([pattern])(names))?.[1] ?? null;
}

/**
 * Returns the prefix of a layer's identifiers in keys: one publisher's registers may use the same numbers. Empty: the main register, or a
 * single layer whose name states no kind.
 */
export function registerKey(listing: HeritageListing, place: FeaturePlace, isOnly: boolean): string {
  if (listed(listing.main)(namesOf(place))) return '';
  const letters = lettersOf(place);
  return letters === '' || (isOnly && kindOfLayer(listing, place) === null) ? '' : `${letters}/`;
}
