import { amenitiesNearby } from './amenities_nearby.ts';
import type { Endpoint } from './answer.ts';
import { COUNT_ENDPOINTS } from './basics.ts';
import { propertyAll, suburbAll } from './bundle.ts';
import { dwellingType } from './dwelling_type.ts';
import { rentHistory, rentHistoryLatest, saleHistory, saleHistoryLatest } from './history.ts';
import { landArea } from './land_area.ts';
import { neighbours } from './neighbours.ts';
import { profile } from './profile.ts';
import { PROPERTY_BUNDLES } from './property_bundles.ts';
import { recentSalesNearby } from './recent_sales_nearby.ts';
import { RISK_ENDPOINTS, risksAll } from './risks.ts';
import { schoolsNearby, schoolsRanking } from './schools.ts';
import { SUBURB_MARKET_ENDPOINTS } from './suburb_market.ts';
import { suburbPockets } from './suburb_pockets.ts';
import { SUBURB_REGION_ENDPOINTS } from './suburb_region.ts';
import { SUBURB_SALES_ENDPOINTS } from './suburb_sales.ts';
import { suburbSchools } from './suburb_schools.ts';
import { transportNearby } from './transport_nearby.ts';
import { avm, cmaCompSet, cmaSingleComp } from './valuation.ts';
import { zoningCode } from './zoning_code.ts';
import { zoningOverlays } from './zoning_overlays.ts';

/** Every endpoint that the published tables can answer. */
export const ENDPOINTS: readonly Endpoint[] = [
  avm,
  cmaCompSet,
  cmaSingleComp,
  profile,
  landArea,
  dwellingType,
  ...COUNT_ENDPOINTS,
  saleHistory,
  saleHistoryLatest,
  rentHistory,
  rentHistoryLatest,
  recentSalesNearby,
  neighbours,
  zoningCode,
  zoningOverlays,
  schoolsNearby,
  schoolsRanking,
  amenitiesNearby,
  transportNearby,
  ...RISK_ENDPOINTS,
  risksAll,
  ...PROPERTY_BUNDLES,
  propertyAll,
  ...SUBURB_REGION_ENDPOINTS,
  ...SUBURB_MARKET_ENDPOINTS,
  ...SUBURB_SALES_ENDPOINTS,
  suburbSchools,
  suburbPockets,
  suburbAll,
] as Endpoint[];
