import { z } from 'zod';
import { PLACE_CATEGORIES } from '../../../schema/records/place.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { aliases } from '../../fields/column_filter.ts';
import { namedMap, parseOptions } from '../../release/options.ts';

/** Columns of a table of places by aliases, and our category for each of its kinds, without case. */
const placesMap = z.strictObject({
  /** Null: rows have no identifier; name and location serve as one. */
  id: aliases.nullish().transform((names) => names ?? null),
  name: aliases.nullish().transform((names) => names ?? null),
  kind: aliases,
  lon: aliases.default(['lon', 'lng', 'longitude', 'x']),
  lat: aliases.default(['lat', 'latitude', 'y']),
  categories: z.record(z.string().min(1), z.enum(PLACE_CATEGORIES)),
});
export type PlacesMap = Readonly<z.output<typeof placesMap>>;

/** Maps of known tables. */
export const PLACES_MAPS: Readonly<Record<string, PlacesMap>> = {
  /** OpenStreetMap amenities as a table: the identifier does not state whether it is a node, way or relation. */
  osm_amenities: {
    id: ['osm_id'],
    name: ['name'],
    kind: ['amenity'],
    lon: ['lon'],
    lat: ['lat'],
    categories: {
      supermarket: 'supermarket',
      park: 'green_space',
      restaurant: 'restaurant',
      cafe: 'restaurant',
      food_court: 'restaurant',
      beach: 'beach',
    },
  },
  /** Place names of Victoria (VICNAMES) as a table. */
  vicnames: {
    id: null,
    name: ['PLACE_NAME'],
    kind: ['FEATURE'],
    lon: ['LONGITUDE'],
    lat: ['LATITUDE'],
    categories: {
      park: 'green_space',
      playground: 'green_space',
      'botanic gardens': 'green_space',
      beach: 'beach',
      'train station': 'railway_station',
    },
  },
};

const optionsSchema = z.strictObject({
  field_map: z.union([z.string(), placesMap], {
    error: `the name of a map (${Object.keys(PLACES_MAPS).join(', ')}), or {kind, categories, id?, name?, lon?, lat?}`,
  }),
  keep: z.array(z.enum(PLACE_CATEGORIES)).min(1).optional(),
});

/** Returns the map of a dataset; `keep` limits it to some of its categories. EtlError `bad_option`. */
export function readPlacesMap(dataset: DatasetConfig): PlacesMap {
  const { field_map, keep } = parseOptions(optionsSchema, dataset);
  const map =
    typeof field_map === 'string' ? namedMap(PLACES_MAPS, field_map, dataset, 'map of places') : field_map;
  const wantedCategories = Object.entries(map.categories).filter(
    ([, category]) => keep?.includes(category) ?? true,
  );
  return {
    ...map,
    categories: Object.fromEntries(
      wantedCategories.map(([kind, category]) => [kind.toLowerCase(), category]),
    ),
  };
}
