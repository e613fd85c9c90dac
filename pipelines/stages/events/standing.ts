/** Maximum days without a mention for an open listing to count as current. */
const CURRENT_DAYS = { 'For Sale': 180, 'For Rent': 60 } as const;
/** Days after a sale with status `sold`; later the occupancy decides. */
const SOLD_DAYS = 180;
/** Days for which a property that was let counts as rented. */
const RENTED_DAYS = 3 * 365;

/** Item of a WITH list over the valuation `day`: the last day of its month, at which old listings expire. */
export const MONTH = `month AS (SELECT (as_of + interval '1 month')::date - 1 AS as_of FROM day)`;

/** SQL condition: an event is a listing that is open as of a day (given as SQL) and was mentioned recently enough to be current. */
export const currentListingSql = (as_of: string): string =>
  `type <> 'Sold' AND date <= ${as_of} AND end_date IS NULL AND last_date >= ${as_of} - CASE type ${Object.entries(
    CURRENT_DAYS,
  )
    .map(([type, days]) => `WHEN '${type}' THEN ${days}`)
    .join(' ')} END`;

/**
 * SQL query over `event` and the `as_of` of `month`: `status` of each property on that day, and `status_date`, the day since which
 * it applies. The first matching rule decides:
 * 1. An open sale listing that was mentioned within 180 days: `for sale`, or `under offer`.
 * 2. An open rent listing that was mentioned within 60 days: `for rent`.
 * 3. Sold within 180 days, and not let since: `sold`.
 * 4. Let, or listed for rent (most such listings end without an event), within 3 years and since the last sale: `rented`.
 * 5. Sold, and never offered for rent since: `owner-occupied`.
 * 6. Otherwise no row: `unknown`.
 */
export const STANDING = `
  WITH past AS (
    SELECT event.*, as_of, ${currentListingSql('as_of')} AS is_current, COALESCE(end_date, last_date) AS until,
      max(date) FILTER (WHERE type = 'Sold') OVER (PARTITION BY gnaf_pid) AS sold
    FROM event CROSS JOIN month WHERE date <= as_of
  ), fact AS (
    SELECT gnaf_pid, as_of, sold, max(date) FILTER (WHERE is_current AND type = 'For Sale') AS for_sale,
      (array_agg(CASE WHEN is_under_offer THEN last_date END ORDER BY date DESC, event_id COLLATE "C")
        FILTER (WHERE is_current AND type = 'For Sale'))[1] AS under_offer,
      max(date) FILTER (WHERE is_current AND type = 'For Rent') AS for_rent,
      count(*) FILTER (WHERE type = 'For Rent' AND until >= COALESCE(sold, until)) AS offers,
      max(until) FILTER (WHERE type = 'For Rent' AND until >= COALESCE(sold, until) AND end_reason IS DISTINCT FROM 'withdrawn') AS let
    FROM past GROUP BY gnaf_pid, as_of, sold
  )
  SELECT gnaf_pid, status, status_date FROM fact, LATERAL (
    SELECT status, status_date FROM (VALUES
      (1, 'under offer', under_offer),
      (2, 'for sale', for_sale),
      (3, 'for rent', for_rent),
      (4, 'sold', CASE WHEN let IS NULL AND sold >= as_of - ${SOLD_DAYS} THEN sold END),
      (5, 'rented', CASE WHEN let >= as_of - ${RENTED_DAYS} THEN let END),
      (6, 'owner-occupied', CASE WHEN offers = 0 THEN sold END)) rule (place, status, status_date)
    WHERE status_date IS NOT NULL ORDER BY place LIMIT 1) standing`;
