import type { Config } from '../schema/config.ts';
import type { Stage } from './engine/stage.ts';
import { modelStages } from './models/model_stage.ts';
import { addressHomeStage, parcelSiteStage } from './stages/addresses/address_home.ts';
import { addressParcelStage } from './stages/addresses/address_parcel.ts';
import { addressRegionStage } from './stages/addresses/address_region.ts';
import { serveLocalityStage } from './stages/addresses/locality.ts';
import { servePropertyStage } from './stages/addresses/serve_property.ts';
import { servePropertyAliasStage } from './stages/addresses/serve_property_alias.ts';
import { servePropertyCoverageStage } from './stages/addresses/serve_property_coverage.ts';
import { servePropertyProfileStage } from './stages/addresses/serve_property_profile.ts';
import { servePropertySuccessorStage } from './stages/addresses/serve_property_successor.ts';
import { unreadAreaStage } from './stages/addresses/unread_area.ts';
import { addressIndexStage } from './stages/events/address_index.ts';
import { eventMatchStage } from './stages/events/event_match.ts';
import { matchStateStage } from './stages/events/match_state.ts';
import { matchedEventStage } from './stages/events/matched_event.ts';
import { serveListingStage } from './stages/events/serve_listing.ts';
import { serveMatchReviewStage } from './stages/events/serve_match_review.ts';
import { servePropertyBasicsStage } from './stages/events/serve_property_basics.ts';
import { servePropertyEventStage } from './stages/events/serve_property_event.ts';
import { serveSaleStage } from './stages/events/serve_sale.ts';
import { propertyTallyStage, serveFieldCoverageStage } from './stages/finder/field_coverage.ts';
import { serveSandboxSampleStage } from './stages/finder/sandbox_sample.ts';
import { searchPlaceStage, serveSearchAreaStage } from './stages/finder/search_area.ts';
import { servePropertyFinderStage } from './stages/finder/serve_property_finder.ts';
import { serveSettingStage } from './stages/finder/serve_setting.ts';
import { publicHousingAreaStage } from './stages/hazards/public_housing_area.ts';
import { recordedFloodStage } from './stages/hazards/recorded_flood.ts';
import { serveHazardStage } from './stages/hazards/serve_hazard.ts';
import { servePropertyRiskStage } from './stages/hazards/serve_property_risk.ts';
import { finderMarketStage } from './stages/market/finder_market.ts';
import { marketFactStage } from './stages/market/market_fact.ts';
import { pocketStreetStage, servePocketMarketStage } from './stages/market/pocket_market.ts';
import { serveForecastBacktestStage, serveRegionForecastStage } from './stages/market/region_forecast.ts';
import { serveRegionMarketStage, serveRegionRankingStage } from './stages/market/region_market.ts';
import { cadastreHomeStage, homeOfStage, parcelAddressStage } from './stages/parcels/home_facts.ts';
import { parcelFormStage } from './stages/parcels/parcel_form.ts';
import { serveParcelShapeStage } from './stages/parcels/serve_parcel_shape.ts';
import { servePropertyNeighbourStage } from './stages/parcels/serve_property_neighbour.ts';
import { schoolRankStage } from './stages/places/school_rank.ts';
import { servePlaceStage } from './stages/places/serve_place.ts';
import { servePropertyProximityStage } from './stages/places/serve_property_proximity.ts';
import { serveSchoolStage } from './stages/places/serve_school.ts';
import { serveStopStage } from './stages/places/serve_stop.ts';
import { servePropertyOverlayStage } from './stages/planning/serve_property_overlay.ts';
import { servePropertyZoningStage } from './stages/planning/serve_property_zoning.ts';
import { regionBorderPartStage, serveRegionNeighbourStage } from './stages/regions/region_border.ts';
import { serveRegionCensusStage } from './stages/regions/region_census.ts';
import { serveRegionRiskStage } from './stages/regions/region_risk.ts';
import { serveRegionDemographicsStage } from './stages/regions/serve_region_demographics.ts';
import { serveRegionShapeStage } from './stages/regions/serve_region_shape.ts';
import { serveSuburbStage } from './stages/regions/suburb.ts';
import { avmChoiceStage } from './stages/valuation/avm_choice.ts';
import { avmModelStage, avmPooledModelStage } from './stages/valuation/avm_model.ts';
import { modelEvidenceStage } from './stages/valuation/model_evidence.ts';
import { servePropertyAvmStage } from './stages/valuation/serve_property_avm.ts';
import { servePropertyComparableStage } from './stages/valuation/serve_property_comparable.ts';
import { serveUnusedSaleStage } from './stages/valuation/serve_unused_sale.ts';
import { serveValuationAccuracyStage } from './stages/valuation/valuation_accuracy.ts';
import { valuationDayStage } from './stages/valuation/valuation_day.ts';
import { valuationHomeStage } from './stages/valuation/valuation_home.ts';
import { recentSaleStage, valuationSaleStage } from './stages/valuation/valuation_sale.ts';

/** Returns every stage, each after the stages whose output it reads. */
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
    servePropertySuccessorStage,
    servePropertyProfileStage,
    servePropertyNeighbourStage,
    servePropertyOverlayStage,
    recordedFloodStage,
    servePropertyRiskStage(config.hazards.radius_m),
    unreadAreaStage,
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
    serveUnusedSaleStage,
    ...modelStages(config),
  ];
}
