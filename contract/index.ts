import type { AnyOperation } from './answers/operation.ts';
import { successor } from './answers/successor.ts';
import { propertyAll, suburbAll } from './bundles/bundle.ts';
import { PROPERTY_BUNDLES } from './bundles/property_bundles.ts';
import { propertyFinder } from './finder/property_finder.ts';
import { SUBURB_FINDER_OPERATIONS } from './finder/suburb_finder.ts';
import { avmOf, cmaOf, property, propertyV1, suburb } from './geocode/by_address.ts';
import { geocode } from './geocode/geocode.ts';
import { geocodeAddress, geocodeSuburb } from './geocode/geocode_v1.ts';
import { amenitiesNearby } from './property/amenities_nearby.ts';
import { COUNT_OPERATIONS } from './property/basics.ts';
import { changes } from './property/changes.ts';
import { dwellingType } from './property/dwelling_type.ts';
import { forSaleNearby } from './property/for_sale_nearby.ts';
import { rentHistory, rentHistoryLatest, saleHistory, saleHistoryLatest } from './property/history.ts';
import { landArea } from './property/land_area.ts';
import { neighbours } from './property/neighbours.ts';
import { propertyNeighbours } from './property/property_neighbours.ts';
import { recentSalesNearby } from './property/recent_sales_nearby.ts';
import { RISK_OPERATIONS, risksAll } from './property/risks.ts';
import { schoolsNearby, schoolsRanking } from './property/schools.ts';
import { transportNearby } from './property/transport_nearby.ts';
import { avm, cmaCompSet, cmaSingleComp } from './property/valuation.ts';
import { valuationHistory } from './property/valuation_history.ts';
import { zoningCode } from './property/zoning_code.ts';
import { zoningOverlays } from './property/zoning_overlays.ts';
import { meshBlocks } from './regions/mesh_blocks.ts';
import { regionCensus } from './regions/region_census.ts';
import { regionList } from './regions/region_list.ts';
import { accuracy } from './service/accuracy.ts';
import { SERVICE_OPERATIONS } from './service/service.ts';
import { profile } from './suburb/profile.ts';
import { streetProfile } from './suburb/street.ts';
import { suburbList } from './suburb/suburb_list.ts';
import { SUBURB_MARKET_OPERATIONS } from './suburb/suburb_market.ts';
import { suburbPockets } from './suburb/suburb_pockets.ts';
import { SUBURB_REGION_OPERATIONS } from './suburb/suburb_region.ts';
import { SUBURB_SALES_OPERATIONS } from './suburb/suburb_sales.ts';
import { suburbSchools } from './suburb/suburb_schools.ts';
import { suburbSearch } from './suburb/suburb_search.ts';

/** Operations of properties and suburbs. */
export const ENDPOINTS: readonly AnyOperation[] = [
  avm,
  valuationHistory,
  cmaCompSet,
  cmaSingleComp,
  profile,
  landArea,
  dwellingType,
  ...COUNT_OPERATIONS,
  saleHistory,
  saleHistoryLatest,
  rentHistory,
  rentHistoryLatest,
  recentSalesNearby,
  forSaleNearby,
  streetProfile,
  successor,
  neighbours,
  zoningCode,
  zoningOverlays,
  schoolsNearby,
  schoolsRanking,
  amenitiesNearby,
  transportNearby,
  ...RISK_OPERATIONS,
  risksAll,
  ...PROPERTY_BUNDLES,
  propertyAll,
  ...SUBURB_REGION_OPERATIONS,
  ...SUBURB_MARKET_OPERATIONS,
  ...SUBURB_SALES_OPERATIONS,
  suburbSchools,
  suburbPockets,
  meshBlocks,
  suburbAll,
];

/** Operations without a subject. */
export const SEARCHES: readonly AnyOperation[] = [
  propertyNeighbours,
  propertyFinder,
  ...SUBURB_FINDER_OPERATIONS,
  geocode,
  geocodeAddress,
  geocodeSuburb,
  suburbList,
  suburbSearch,
  regionList,
  regionCensus,
  property,
  propertyV1,
  suburb,
  avmOf,
  cmaOf,
  accuracy,
  changes,
  ...SERVICE_OPERATIONS,
];
