import { HAZARD_LAYERS, HAZARDS, hazardPath } from '../schema/records/hazard.ts';

/** Title of a tool, and when to use it or another one. */
type ToolText = readonly [title: string, use: string];

const ONE_FIGURE =
  'Use properties_basics_all instead for more than one of bedrooms, bathrooms, parking, type and land area.';

/** One layer of the risks; all layers by themselves cost what all cost together. */
const riskTexts = Object.fromEntries(
  HAZARD_LAYERS.map((layer): [string, ToolText] => [
    `properties_risks_${hazardPath(layer).replaceAll('-', '_')}`,
    [`${HAZARDS[layer].title} near a property`, 'Use properties_risks_all instead for all hazards.'],
  ]),
);

/** What a model is told of each tool besides what it answers and what it costs. */
export const TOOL_TEXTS: Readonly<Record<string, ToolText>> = {
  ping: ['Service status', 'Use me instead to check a key.'],
  me: ['Account and balance', 'Use it before a series of calls to see whether the balance covers them.'],
  sandbox_samples: [
    'Sandbox samples',
    'Use it first with the public sandbox key, which answers only for these samples.',
  ],
  changes: [
    'What changed',
    'Use it with the publication of an earlier answer to see what is new of a property or suburb since. Use the tool of the endpoint for the values themselves.',
  ],
  batch: [
    'Many properties at once',
    'Use it for more than three properties: up to 50 of them and 10 endpoints in one call. Use the tool of the endpoint for one property.',
  ],
  geocode_address: [
    'Find a property by its address',
    'Use it first: every property tool takes the gnaf_id that it returns. Use property instead to find a property and read all its data in one call.',
  ],
  geocode_suburb: [
    'Find a suburb by its name',
    'Use it first: every suburb tool takes the canonical name that it returns. Use suburbs_list instead for all names of a state.',
  ],
  suburbs_list: [
    'List of suburbs',
    'Use geocode_suburb instead if you know the name or part of it: this list is long.',
  ],
  accuracy: [
    'Accuracy of the valuation',
    'Use it to show how accurate estimates are: median error and ratio-study figures by state, dwelling type, price, month or suburb.',
  ],
  property_finder: [
    'Find properties by criteria',
    'Use it to look for properties that meet criteria in suburbs or regions; use geocode_address instead for one known address. A small limit keeps the answer short.',
  ],
  property: [
    'All data on a property, by address or id',
    'Use it for a full report on one property; use the single-subject tools instead for a few subjects.',
  ],
  properties_all: [
    'All data on a property',
    'Use it for most subjects at once; use property instead if you only know the address.',
  ],
  properties_valuation_avm: [
    'Estimated value',
    'Use properties_comparables_cma_comp_set instead for the sales that support a value.',
  ],
  properties_valuation_all: [
    'Valuation bundle',
    'Use properties_valuation_avm instead: same answer, same price.',
  ],
  properties_basics_bed_count: ['Bedrooms', ONE_FIGURE],
  properties_basics_bath_count: ['Bathrooms', ONE_FIGURE],
  properties_basics_parking_count: ['Parking spaces', ONE_FIGURE],
  properties_basics_dwelling_type: ['Kind of dwelling', ONE_FIGURE],
  properties_basics_land_area_sqm: ['Land area', ONE_FIGURE],
  properties_basics_all: ['Basics bundle', 'Use the single-figure tools instead for one figure.'],
  properties_profile: [
    'Statistical and administrative areas',
    'Use it to find the SA2, SA3, LGA or suburb of a property for the suburb tools.',
  ],
  properties_sale_history: [
    'Sale history',
    'Use properties_sale_history_latest instead if the most recent sale is enough.',
  ],
  properties_sale_history_latest: [
    'Latest sale',
    'Use properties_sale_history instead for all sales and sale listings.',
  ],
  properties_rent_history: [
    'Rent history',
    'Use properties_rent_history_latest instead if the most recent rent is enough.',
  ],
  properties_rent_history_latest: [
    'Latest rent',
    'Use properties_rent_history instead for all rent listings.',
  ],
  properties_history_all: [
    'History bundle',
    'Use the sale or rent history tools instead for one of the two.',
  ],
  properties_neighbours: [
    'Neighbouring properties',
    'Use properties_comparables_recent_sales_nearby instead for all recent sales near the property.',
  ],
  properties_comparables_cma_comp_set: [
    'Comparable sales',
    'Use properties_comparables_cma_single_comp instead when the best comparable is enough, and properties_comparables_recent_sales_nearby for every sale near the property.',
  ],
  properties_comparables_cma_single_comp: [
    'Best comparable sale',
    'Use properties_comparables_cma_comp_set instead for the whole set.',
  ],
  properties_comparables_recent_sales_nearby: [
    'Recent sales nearby',
    'Use properties_comparables_cma_comp_set instead for sales of homes similar to the property.',
  ],
  properties_comparables_all: [
    'Comparables bundle',
    'Use the single-subject tools instead if one is enough.',
  ],
  properties_development_zoning_code: [
    'Zone',
    'Use properties_development_zoning_overlays instead for heritage, flood and other overlays of the planning scheme.',
  ],
  properties_development_zoning_overlays: [
    'Planning overlays',
    'Use properties_development_zoning_code instead for the zone, and properties_risks_all for hazards.',
  ],
  properties_development_all: ['Planning bundle', 'Use it for both the zone and the overlays.'],
  properties_schools_nearby: ['Schools nearby', 'Use properties_schools_ranking instead to compare schools.'],
  properties_schools_ranking: [
    'Schools by rank',
    'Use properties_schools_nearby instead if names and distances are enough: it costs a twentieth.',
  ],
  properties_schools_all: [
    'Schools bundle',
    'Use properties_schools_ranking instead: it lists the same schools with their ranks.',
  ],
  properties_amenities_nearby: [
    'Amenities nearby',
    'Use properties_transport_nearby instead for stops and stations.',
  ],
  properties_transport_nearby: [
    'Public transport nearby',
    'Use properties_amenities_nearby instead for shops, parks and restaurants.',
  ],
  ...riskTexts,
  properties_risks_all: [
    'All hazards near a property',
    'Use the tool of one hazard instead for a single hazard.',
  ],
  suburbs_profile: [
    'Profile of a suburb',
    'Use suburbs_demographics instead for its people, and suburbs_market for its prices.',
  ],
  suburbs_neighbours: ['Adjoining suburbs', 'Use suburbs_shape instead for the boundary itself.'],
  suburbs_demographics: [
    'Demographics of a suburb',
    'Use suburbs_profile instead for its location and size only.',
  ],
  suburbs_hazards: [
    'Hazards of a suburb',
    'Use properties_risks_all instead for the hazards of one property.',
  ],
  suburbs_shape: ['Boundary of a suburb', 'Use suburbs_profile instead for its bounding box.'],
  suburbs_market: [
    'Market of a suburb',
    'Use suburbs_ranking instead to compare it with others, and suburbs_growth_forecast for the future.',
  ],
  suburbs_ranking: ['Rank of a suburb', 'Use suburbs_market instead for the figures that are ranked.'],
  suburbs_growth_forecast: ['Growth forecast of a suburb', 'Use suburbs_market instead for past growth.'],
  suburbs_sales: [
    'Sales in a suburb',
    'Use properties_comparables_recent_sales_nearby instead for sales near one property.',
  ],
  suburbs_listings: [
    'Listings in a suburb',
    'Use property_finder instead to look for properties by criteria.',
  ],
  suburbs_schools: [
    'Schools in a suburb',
    'Use properties_schools_nearby instead for those near a property.',
  ],
  suburbs_pockets: ['Pockets of a suburb', 'Use suburbs_market instead for the suburb as a whole.'],
  suburbs_all: [
    'Everything of a suburb',
    'Use the tools of single subjects instead when a few of them are wanted.',
  ],
};
