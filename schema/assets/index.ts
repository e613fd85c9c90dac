import {
  fieldCoveragePartAsset,
  finderCountAsset,
  finderMarketAsset,
  localityPartAsset,
  sandboxCandidateAsset,
  searchAreaPartAsset,
} from './api.ts';
import { eventMatchAsset, eventMonthAsset, matchedEventAsset } from './event.ts';
import { marketFactAsset, pocketStreetAsset } from './market.ts';
import { MATCH_ASSETS } from './match.ts';
import {
  addressParcelAsset,
  addressRegionAsset,
  parcelFormAsset,
  parcelHazardAsset,
  parcelNeighbourAsset,
  parcelPlanningAsset,
  publicHousingPieceAsset,
} from './property.ts';
import { regionBorderPartAsset, regionRiskPartAsset, suburbPartAsset } from './region.ts';
import { schoolRankAsset } from './school.ts';
import { VALUATION_ASSETS } from './valuation.ts';

/** Every asset table that is not itself a serving table. */
export const ASSET_TABLES = [
  addressParcelAsset,
  parcelNeighbourAsset,
  parcelFormAsset,
  addressRegionAsset,
  parcelPlanningAsset,
  parcelHazardAsset,
  publicHousingPieceAsset,
  schoolRankAsset,
  suburbPartAsset,
  ...MATCH_ASSETS,
  eventMatchAsset,
  matchedEventAsset,
  eventMonthAsset,
  regionBorderPartAsset,
  regionRiskPartAsset,
  searchAreaPartAsset,
  localityPartAsset,
  sandboxCandidateAsset,
  fieldCoveragePartAsset,
  finderMarketAsset,
  finderCountAsset,
  ...VALUATION_ASSETS,
  marketFactAsset,
  pocketStreetAsset,
] as const;
