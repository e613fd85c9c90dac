import { accuracy } from './accuracy.ts';
import { amenitiesNearby } from './amenities_nearby.ts';
import { COUNT_OPERATIONS } from './basics.ts';
import { propertyAll, suburbAll } from './bundle.ts';
import { avmOf, cmaOf, property, propertyV1, suburb } from './by_address.ts';
import { changes } from './changes.ts';
import { dwellingType } from './dwelling_type.ts';
import { propertyFinder } from './finder/property_finder.ts';
import { SUBURB_FINDER_OPERATIONS } from './finder/suburb_finder.ts';
import { forSaleNearby } from './for_sale_nearby.ts';
import { geocode } from './geocode/geocode.ts';
import { geocodeAddress, geocodeSuburb } from './geocode/geocode_v1.ts';
import { rentHistory, rentHistoryLatest, saleHistory, saleHistoryLatest } from './history.ts';
import { landArea } from './land_area.ts';
import { meshBlocks } from './mesh_blocks.ts';
import { neighbours } from './neighbours.ts';
import type { AnyOperation } from './operation.ts';
import { profile } from './profile.ts';
import { PROPERTY_BUNDLES } from './property_bundles.ts';
import { propertyNeighbours } from './property_neighbours.ts';
import { recentSalesNearby } from './recent_sales_nearby.ts';
import { regionCensus } from './region_census.ts';
import { regionList } from './region_list.ts';
import { RISK_OPERATIONS, risksAll } from './risks.ts';
import { schoolsNearby, schoolsRanking } from './schools.ts';
import { SERVICE_OPERATIONS } from './service.ts';
import { streetProfile } from './street.ts';
import { suburbList } from './suburb_list.ts';
import { SUBURB_MARKET_OPERATIONS } from './suburb_market.ts';
import { suburbPockets } from './suburb_pockets.ts';
import { SUBURB_REGION_OPERATIONS } from './suburb_region.ts';
import { SUBURB_SALES_OPERATIONS } from './suburb_sales.ts';
import { suburbSchools } from './suburb_schools.ts';
import { suburbSearch } from './suburb_search.ts';
import { successor } from './successor.ts';
import { transportNearby } from './transport_nearby.ts';
import { avm, cmaCompSet, cmaSingleComp } from './valuation.ts';
import { valuationHistory } from './valuation_history.ts';
import { zoningCode } from './zoning_code.ts';
import { zoningOverlays } from './zoning_overlays.ts';

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
