import { propertyFinder } from './finder/property_finder.ts';
import { geocode } from './geocode/geocode.ts';
import type { Search } from './search.ts';
import { suburbSearch } from './suburb_search.ts';

/** Every endpoint that is asked with parameters alone. */
export const SEARCHES: readonly Search[] = [propertyFinder, geocode, suburbSearch] as Search[];
