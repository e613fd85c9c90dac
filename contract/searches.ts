import { accuracy } from './accuracy.ts';
import { avmOf, cmaOf, property, propertyV1, suburb } from './by_address.ts';
import { changes } from './changes.ts';
import { propertyFinder } from './finder/property_finder.ts';
import { geocode } from './geocode/geocode.ts';
import { geocodeAddress, geocodeSuburb } from './geocode/geocode_v1.ts';
import { propertyNeighbours } from './property_neighbours.ts';
import type { Search } from './search.ts';
import { datasetCatalogue, publications, SERVICE_SEARCHES } from './service.ts';
import { suburbList } from './suburb_list.ts';
import { suburbSearch } from './suburb_search.ts';

/** Searches that read the books and not the journalled tables: no earlier state of them is known. */
export const OF_TODAY: ReadonlySet<string> = new Set([
  datasetCatalogue.path,
  publications.path,
  changes.path,
]);

/** Every endpoint that is asked with parameters alone. */
export const SEARCHES: readonly Search[] = [
  propertyNeighbours,
  propertyFinder,
  geocode,
  geocodeAddress,
  geocodeSuburb,
  suburbList,
  suburbSearch,
  property,
  propertyV1,
  suburb,
  avmOf,
  cmaOf,
  accuracy,
  changes,
  ...SERVICE_SEARCHES,
] as Search[];
