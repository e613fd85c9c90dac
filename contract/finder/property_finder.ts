import type { NoData } from '../answers/answer.ts';
import { search } from '../answers/operation.ts';
import { findAreas, readFinderContext } from './areas.ts';
import { type Limit, limitsOf } from './limits.ts';
import { findPage } from './page.ts';
import { type FinderParams, type FinderQuery, finderParams } from './params.ts';
import { type FinderPayload, finderPayload, foundOf } from './payload.ts';

const MS_PER_S = 1000;

/** Echoes the parameters with the applied defaults, as the specification writes them. */
function echo(
  params: FinderParams,
  limits: readonly Limit[],
  threshold: number,
): FinderPayload['query_parameters'] {
  const bound = (name: keyof FinderParams): number | null => {
    const limit = limits.find((each) => each.min === name || each.max === name);
    return (limit?.min === name ? limit.lower?.at : limit?.upper?.at) ?? null;
  };
  return {
    sals: params.suburbs,
    regions: params.regions,
    min_baths: bound('min_baths'),
    min_bedrooms: bound('min_bedrooms'),
    min_cars: bound('min_cars'),
    min_price: bound('min_price'),
    max_price: bound('max_price'),
    min_distance_to_public_housing: bound('min_distance_to_public_housing'),
    max_distance_to_public_housing: bound('max_distance_to_public_housing'),
    min_distance_to_school: bound('min_distance_to_school'),
    max_distance_to_school: bound('max_distance_to_school'),
    min_yield: bound('min_yield'),
    max_yield: bound('max_yield'),
    publi_housing_value_thresh: threshold,
    buffer_expansion: 0,
    limit: params.limit,
    offset: params.offset,
    use_regions: params.regions.length > 0,
    property_type: params.property_type ?? null,
    sort_by: params.sort_by ?? null,
    sort_direction: params.sort_direction ?? 'desc',
  };
}

/** property_finder: properties of suburbs or regions that meet all criteria, with their scores. */
export const propertyFinder = search<FinderPayload, FinderParams>({
  methods: ['GET', 'POST'],
  path: '/api/property_finder',
  price_cents: 30,
  tool: {
    title: 'Find properties by criteria',
    use: 'Use it to look for properties that meet criteria in suburbs or regions; use geocode_address instead for one known address. A small limit keeps the answer short.',
  },
  doc: 'Properties of some suburbs or regions that meet all criteria, ranked by how well they meet them.',
  payload: finderPayload,
  params: finderParams,
  untagged: 'execution_time',
  async query(db, params: FinderQuery) {
    const started = performance.now();
    const limits = limitsOf(params);
    const areas = await findAreas(db, params);
    const { schools: schoolsKnown, threshold } = await readFinderContext(db);
    const page =
      areas.length === 0
        ? { rows: [], total: 0 }
        : await findPage(db, { params, limits, areas, schoolsKnown });
    const useRegions = params.regions.length > 0;
    const data: FinderPayload = {
      success: true,
      execution_time: Math.round(performance.now() - started) / MS_PER_S,
      total_properties: page.total,
      search_areas: areas.map((area) => area.name),
      search_type: useRegions ? 'regions' : 'sals',
      sals_found: areas.length,
      properties: page.rows.map((row) => foundOf(row, params, limits)),
      features_enabled: { region_based_search: useRegions, caching_enabled: false, cache_age_hours: null },
      query_parameters: echo(params, limits, threshold),
    };
    if (areas.length > 0) return { data };
    const none: NoData = params.suburbs.length > 0 ? 'unknown_suburb' : 'unknown_region';
    return { data, none };
  },
});
