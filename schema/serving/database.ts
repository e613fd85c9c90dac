import type { Kysely } from 'kysely';
import type { Row } from '../table.ts';
import type { datasetCatalogueTable } from './dataset_catalogue.ts';
import type { fieldCoverageTable } from './field_coverage.ts';
import type { forecastBacktestTable } from './forecast_backtest.ts';
import type { hazardTable } from './hazard.ts';
import type { listingTable } from './listing.ts';
import type { localityTable } from './locality.ts';
import type { matchReviewTable } from './match_review.ts';
import type { parcelShapeTable } from './parcel_shape.ts';
import type { placeTable } from './place.ts';
import type { pocketMarketTable } from './pocket_market.ts';
import type { propertyTable } from './property.ts';
import type { propertyAvmTable } from './property_avm.ts';
import type { propertyBasicsTable } from './property_basics.ts';
import type { propertyComparableTable } from './property_comparable.ts';
import type { propertyCoverageTable } from './property_coverage.ts';
import type { propertyEventTable } from './property_event.ts';
import type { propertyFinderTable } from './property_finder.ts';
import type { propertyNeighbourTable } from './property_neighbour.ts';
import type { propertyOverlayTable } from './property_overlay.ts';
import type { propertyProfileTable } from './property_profile.ts';
import type { propertyProximityTable } from './property_proximity.ts';
import type { propertyRiskTable } from './property_risk.ts';
import type { propertyZoningTable } from './property_zoning.ts';
import type { rateCardTable } from './rate_card.ts';
import type { regionCensusTable } from './region_census.ts';
import type { regionDemographicsTable } from './region_demographics.ts';
import type { regionForecastTable } from './region_forecast.ts';
import type { regionMarketTable } from './region_market.ts';
import type { regionNeighbourTable } from './region_neighbour.ts';
import type { regionRankingTable } from './region_ranking.ts';
import type { regionRiskTable } from './region_risk.ts';
import type { regionShapeTable } from './region_shape.ts';
import type { saleTable } from './sale.ts';
import type { sandboxSampleTable } from './sandbox_sample.ts';
import type { schoolTable } from './school.ts';
import type { searchAreaTable } from './search_area.ts';
import type { settingTable } from './setting.ts';
import type { stopTable } from './stop.ts';
import type { suburbTable } from './suburb.ts';

/** The view serving.publication (store/control_ddl.ts), as far as the contract reads it. */
interface PublicationRow {
  publication_id: number;
  published_at: Date;
  kind: string;
  /** Publication that a rollback serves again; null: it is no rollback. */
  restores: number | null;
  reason: string | null;
  /** Whether it can still be read as of itself. */
  readable: boolean;
}

/** The serving tables as Kysely sees them; the row types come from the declarations. */
export interface ServingDatabase {
  'serving.dataset_catalogue': Row<typeof datasetCatalogueTable>;
  'serving.field_coverage': Row<typeof fieldCoverageTable>;
  'serving.hazard': Row<typeof hazardTable>;
  'serving.match_review': Row<typeof matchReviewTable>;
  'serving.parcel_shape': Row<typeof parcelShapeTable>;
  'serving.listing': Row<typeof listingTable>;
  'serving.locality': Row<typeof localityTable>;
  'serving.place': Row<typeof placeTable>;
  'serving.property': Row<typeof propertyTable>;
  'serving.property_basics': Row<typeof propertyBasicsTable>;
  'serving.property_coverage': Row<typeof propertyCoverageTable>;
  'serving.property_event': Row<typeof propertyEventTable>;
  'serving.property_finder': Row<typeof propertyFinderTable>;
  'serving.property_neighbour': Row<typeof propertyNeighbourTable>;
  'serving.property_overlay': Row<typeof propertyOverlayTable>;
  'serving.property_profile': Row<typeof propertyProfileTable>;
  'serving.property_proximity': Row<typeof propertyProximityTable>;
  'serving.property_risk': Row<typeof propertyRiskTable>;
  'serving.property_zoning': Row<typeof propertyZoningTable>;
  'serving.publication': PublicationRow;
  'serving.rate_card': Row<typeof rateCardTable>;
  'serving.region_census': Row<typeof regionCensusTable>;
  'serving.region_demographics': Row<typeof regionDemographicsTable>;
  'serving.region_market': Row<typeof regionMarketTable>;
  'serving.region_ranking': Row<typeof regionRankingTable>;
  'serving.region_forecast': Row<typeof regionForecastTable>;
  'serving.forecast_backtest': Row<typeof forecastBacktestTable>;
  'serving.pocket_market': Row<typeof pocketMarketTable>;
  'serving.region_shape': Row<typeof regionShapeTable>;
  'serving.region_neighbour': Row<typeof regionNeighbourTable>;
  'serving.region_risk': Row<typeof regionRiskTable>;
  'serving.sale': Row<typeof saleTable>;
  'serving.property_avm': Row<typeof propertyAvmTable>;
  'serving.property_comparable': Row<typeof propertyComparableTable>;
  'serving.sandbox_sample': Row<typeof sandboxSampleTable>;
  'serving.school': Row<typeof schoolTable>;
  'serving.search_area': Row<typeof searchAreaTable>;
  'serving.setting': Row<typeof settingTable>;
  'serving.stop': Row<typeof stopTable>;
  'serving.suburb': Row<typeof suburbTable>;
}

/** A connection that reads what is published; the role api_reader is enough for it. */
export type Serving = Kysely<ServingDatabase>;
