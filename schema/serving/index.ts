import { datasetCatalogueTable } from './dataset_catalogue.ts';
import { fieldCoverageTable } from './field_coverage.ts';
import { forecastBacktestTable } from './forecast_backtest.ts';
import { hazardTable } from './hazard.ts';
import { listingTable } from './listing.ts';
import { localityTable } from './locality.ts';
import { matchReviewTable } from './match_review.ts';
import { parcelShapeTable } from './parcel_shape.ts';
import { placeTable } from './place.ts';
import { pocketMarketTable } from './pocket_market.ts';
import { propertyTable } from './property.ts';
import { propertyAliasTable } from './property_alias.ts';
import { propertyAvmTable } from './property_avm.ts';
import { propertyBasicsTable } from './property_basics.ts';
import { propertyComparableTable } from './property_comparable.ts';
import { propertyCoverageTable } from './property_coverage.ts';
import { propertyEventTable } from './property_event.ts';
import { propertyFinderTable } from './property_finder.ts';
import { propertyNeighbourTable } from './property_neighbour.ts';
import { propertyOverlayTable } from './property_overlay.ts';
import { propertyProfileTable } from './property_profile.ts';
import { propertyProximityTable } from './property_proximity.ts';
import { propertyRiskTable } from './property_risk.ts';
import { propertySuccessorTable } from './property_successor.ts';
import { propertyZoningTable } from './property_zoning.ts';
import { regionCensusTable } from './region_census.ts';
import { regionDemographicsTable } from './region_demographics.ts';
import { regionForecastTable } from './region_forecast.ts';
import { regionMarketTable } from './region_market.ts';
import { regionNeighbourTable } from './region_neighbour.ts';
import { regionRankingTable } from './region_ranking.ts';
import { regionRiskTable } from './region_risk.ts';
import { regionShapeTable } from './region_shape.ts';
import { saleTable } from './sale.ts';
import { sandboxSampleTable } from './sandbox_sample.ts';
import { schoolTable } from './school.ts';
import { searchAreaTable } from './search_area.ts';
import { settingTable } from './setting.ts';
import { stopTable } from './stop.ts';
import { suburbTable } from './suburb.ts';
import { unusedSaleTable } from './unused_sale.ts';
import { valuationAccuracyTable } from './valuation_accuracy.ts';

/** Every serving table. */
export const SERVING_TABLES = [
  propertyTable,
  propertyAliasTable,
  propertySuccessorTable,
  propertyProfileTable,
  propertyNeighbourTable,
  propertyZoningTable,
  propertyOverlayTable,
  propertyRiskTable,
  propertyCoverageTable,
  propertyProximityTable,
  parcelShapeTable,
  matchReviewTable,
  propertyEventTable,
  propertyBasicsTable,
  saleTable,
  listingTable,
  propertyAvmTable,
  propertyComparableTable,
  regionMarketTable,
  regionRankingTable,
  regionForecastTable,
  forecastBacktestTable,
  pocketMarketTable,
  schoolTable,
  stopTable,
  placeTable,
  hazardTable,
  regionDemographicsTable,
  regionCensusTable,
  regionShapeTable,
  regionNeighbourTable,
  regionRiskTable,
  suburbTable,
  propertyFinderTable,
  searchAreaTable,
  localityTable,
  settingTable,
  sandboxSampleTable,
  fieldCoverageTable,
  valuationAccuracyTable,
  unusedSaleTable,
] as const;

/** Views over the control tables for readers of the schema serving; created by store/control_ddl.ts. */
export const SERVING_VIEWS = [datasetCatalogueTable] as const;
