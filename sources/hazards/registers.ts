import { listed } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import type { FeaturePlace } from '../formats/feature.ts';
import type { HeritageListing } from './field_map.ts';

/** Names of a file and its layer, with blanks for punctuation. */
const namesOf = ({ file, layer }: FeaturePlace): string =>
  comparable(
    `${file.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '')} ${layer ?? ''}`.replace(/[^a-z0-9]+/gi, ' '),
  );

/** Letters of the names of a file and its layer: numbers and dates change with each release. */
const lettersOf = (place: FeaturePlace): string =>
  namesOf(place)
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .replaceAll(' ', '_');

/** Kind of listing that the names of file and layer state; null: they state none. */
export function kindOfLayer({ layers }: HeritageListing, place: FeaturePlace): string | null {
  const names = namesOf(place);
  return Object.entries(layers).find(([pattern]) => listed([pattern])(names))?.[1] ?? null;
}

/**
 * What precedes the identifiers of a layer in keys: registers of one publisher number their places by themselves, or share numbers. Empty:
 * the main register, and a single layer whose name states no kind.
 */
export function registerKey(listing: HeritageListing, place: FeaturePlace, isOnly: boolean): string {
  if (listed(listing.main)(namesOf(place))) return '';
  const letters = lettersOf(place);
  return letters === '' || (isOnly && kindOfLayer(listing, place) === null) ? '' : `${letters}/`;
}
