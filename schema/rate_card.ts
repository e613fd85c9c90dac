/** Version of the prices; raised with every change of one. */
export const RATE_CARD_VERSION = 1;

/** Price of each endpoint in cents. Source: specification, sections 4.2 and 4.3. */
export const RATE_CARD: Readonly<Record<string, number>> = {
  '/v1/ping': 0,
  '/v1/me': 0,
  '/v1/properties/{gnaf_id}/valuation/avm': 10,
  '/v1/properties/{gnaf_id}/basics/bed-count': 5,
  '/v1/properties/{gnaf_id}/basics/bath-count': 5,
  '/v1/properties/{gnaf_id}/basics/parking-count': 5,
  '/v1/properties/{gnaf_id}/basics/dwelling-type': 5,
  '/v1/properties/{gnaf_id}/basics/land-area-sqm': 3,
  '/v1/properties/{gnaf_id}/profile': 3,
  '/v1/properties/{gnaf_id}/sale-history': 30,
  '/v1/properties/{gnaf_id}/sale-history-latest': 10,
  '/v1/properties/{gnaf_id}/rent-history': 30,
  '/v1/properties/{gnaf_id}/rent-history-latest': 10,
  '/v1/properties/{gnaf_id}/neighbours': 30,
  '/v1/properties/{gnaf_id}/comparables/cma-comp-set': 60,
  '/v1/properties/{gnaf_id}/comparables/cma-single-comp': 10,
  '/v1/properties/{gnaf_id}/comparables/recent-sales-nearby': 4,
  '/v1/properties/{gnaf_id}/development/zoning-code': 3,
  '/v1/properties/{gnaf_id}/development/zoning-overlays': 5,
  '/v1/properties/{gnaf_id}/schools/nearby': 5,
  '/v1/properties/{gnaf_id}/schools/ranking': 100,
  '/v1/properties/{gnaf_id}/amenities/nearby': 10,
  '/v1/properties/{gnaf_id}/transport/nearby': 5,
  '/v1/properties/{gnaf_id}/risks/bushfire': 15,
  '/v1/properties/{gnaf_id}/risks/flood': 10,
  '/v1/properties/{gnaf_id}/risks/historical-flood': 3,
};
