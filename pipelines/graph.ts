import type { Config } from '../schema/config.ts';
import type { Stage } from './engine/stage.ts';
import { modelStages } from './models/model_stage.ts';
import { addressHomeStage, parcelSiteStage } from './stages/address_home.ts';
import { addressIndexStage } from './stages/address_index.ts';
import { addressParcelStage } from './stages/address_parcel.ts';
import { addressRegionStage } from './stages/address_region.ts';
import { avmChoiceStage } from './stages/avm_choice.ts';
import { avmModelStage, avmPooledModelStage } from './stages/avm_model.ts';
import { eventMatchStage } from './stages/event_match.ts';
import { propertyTallyStage, serveFieldCoverageStage } from './stages/field_coverage.ts';
import { finderMarketStage } from './stages/finder_market.ts';
import { cadastreHomeStage, homeOfStage, parcelAddressStage } from './stages/home_facts.ts';
import { serveLocalityStage } from './stages/locality.ts';
import { marketFactStage } from './stages/market_fact.ts';
import { matchStateStage } from './stages/match_state.ts';
import { matchedEventStage } from './stages/matched_event.ts';
import { modelEvidenceStage } from './stages/model_evidence.ts';
import { parcelFormStage } from './stages/parcel_form.ts';
import { pocketStreetStage, servePocketMarketStage } from './stages/pocket_market.ts';
import { publicHousingAreaStage } from './stages/public_housing_area.ts';
import { recordedFloodStage } from './stages/recorded_flood.ts';
import { regionBorderPartStage, serveRegionNeighbourStage } from './stages/region_border.ts';
import { serveRegionCensusStage } from './stages/region_census.ts';
import { serveForecastBacktestStage, serveRegionForecastStage } from './stages/region_forecast.ts';
import { serveRegionMarketStage, serveRegionRankingStage } from './stages/region_market.ts';
import { serveRegionRiskStage } from './stages/region_risk.ts';
import { serveSandboxSampleStage } from './stages/sandbox_sample.ts';
import { schoolRankStage } from './stages/school_rank.ts';
import { searchPlaceStage, serveSearchAreaStage } from './stages/search_area.ts';
import { serveHazardStage } from './stages/serve_hazard.ts';
import { serveListingStage } from './stages/serve_listing.ts';
import { serveMatchReviewStage } from './stages/serve_match_review.ts';
import { serveParcelShapeStage } from './stages/serve_parcel_shape.ts';
import { servePlaceStage } from './stages/serve_place.ts';
import { servePropertyStage } from './stages/serve_property.ts';
import { servePropertyAliasStage } from './stages/serve_property_alias.ts';
import { servePropertyAvmStage } from './stages/serve_property_avm.ts';
import { servePropertyBasicsStage } from './stages/serve_property_basics.ts';
import { servePropertyComparableStage } from './stages/serve_property_comparable.ts';
import { servePropertyCoverageStage } from './stages/serve_property_coverage.ts';
import { servePropertyEventStage } from './stages/serve_property_event.ts';
import { servePropertyFinderStage } from './stages/serve_property_finder.ts';
import { servePropertyNeighbourStage } from './stages/serve_property_neighbour.ts';
import { servePropertyOverlayStage } from './stages/serve_property_overlay.ts';
import { servePropertyProfileStage } from './stages/serve_property_profile.ts';
import { servePropertyProximityStage } from './stages/serve_property_proximity.ts';
import { servePropertyRiskStage } from './stages/serve_property_risk.ts';
import { servePropertyZoningStage } from './stages/serve_property_zoning.ts';
import { serveRegionDemographicsStage } from './stages/serve_region_demographics.ts';
import { serveRegionShapeStage } from './stages/serve_region_shape.ts';
import { serveSaleStage } from './stages/serve_sale.ts';
import { serveSchoolStage } from './stages/serve_school.ts';
import { serveSettingStage } from './stages/serve_setting.ts';
import { serveStopStage } from './stages/serve_stop.ts';
import { serveSuburbStage } from './stages/suburb.ts';
import { serveValuationAccuracyStage } from './stages/valuation_accuracy.ts';
import { valuationDayStage } from './stages/valuation_day.ts';
import { valuationHomeStage } from './stages/valuation_home.ts';
import { recentSaleStage, valuationSaleStage } from './stages/valuation_sale.ts';

/** Every stage in an order in which each one follows the stages whose output it reads. */
export function graph(config: Config): readonly Stage[] {
  return [
    addressRegionStage,
    addressParcelStage(config.parcel),
    parcelSiteStage,
    addressHomeStage,
    parcelAddressStage,
    cadastreHomeStage,
    homeOfStage,
    parcelFormStage,
    publicHousingAreaStage,
    schoolRankStage,
    servePropertyZoningStage,
    servePropertyStage,
    servePropertyAliasStage,
    servePropertyProfileStage,
    servePropertyNeighbourStage,
    servePropertyOverlayStage,
    recordedFloodStage,
    servePropertyRiskStage(config.hazards.radius_m),
    servePropertyCoverageStage,
    serveStopStage,
    servePropertyProximityStage,
    serveParcelShapeStage,
    valuationDayStage,
    matchStateStage,
    addressIndexStage,
    eventMatchStage,
    matchedEventStage,
    serveMatchReviewStage,
    servePropertyEventStage,
    servePropertyBasicsStage,
    serveSaleStage,
    serveListingStage,
    valuationHomeStage,
    valuationSaleStage,
    recentSaleStage,
    modelEvidenceStage,
    avmModelStage,
    avmPooledModelStage,
    avmChoiceStage,
    servePropertyAvmStage,
    servePropertyComparableStage,
    serveRegionDemographicsStage,
    marketFactStage,
    serveRegionMarketStage,
    serveRegionRankingStage,
    serveRegionForecastStage,
    serveForecastBacktestStage,
    pocketStreetStage,
    servePocketMarketStage,
    serveSchoolStage,
    servePlaceStage,
    serveHazardStage,
    serveRegionCensusStage,
    serveRegionShapeStage,
    regionBorderPartStage,
    serveRegionNeighbourStage,
    serveRegionRiskStage,
    serveSuburbStage,
    finderMarketStage,
    servePropertyFinderStage,
    propertyTallyStage,
    searchPlaceStage,
    serveSearchAreaStage,
    serveLocalityStage,
    serveSettingStage,
    serveSandboxSampleStage,
    serveFieldCoverageStage,
    serveValuationAccuracyStage,
    ...modelStages(config),
  ];
}
