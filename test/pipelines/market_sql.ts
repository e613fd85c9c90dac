/**
 * Every market figure of every area at every level, and of every SA1, from the events and the Census in plain SQL. Columns are named as in
 * serving.region_market, medians and shares not rounded. It takes the facts for which home lies where from the matched
 * regions, and works out the rest anew.
 */
export const MARKET_FIGURES_SQL = `
WITH day AS (SELECT date_trunc('month', max(date))::date AS as_of FROM serving.property_event WHERE type IN ('Sold', 'For Rent')),
event AS (
  SELECT e.type, e.date, e.price, e.is_evidence, e.end_reason, e.last_date, day.as_of,
    CASE WHEN e.end_date < day.as_of THEN e.end_date END AS closed,
    CASE WHEN h.dwelling_type IN ('house', 'duplex', 'rural') THEN 'house'
      WHEN h.dwelling_type IN ('unit', 'townhouse', 'villa', 'retirement') THEN 'unit' END AS market,
    jsonb_build_object('SAL', r.sal_name, 'SA1', r.sa1, 'SA2', r.sa2, 'SA3', r.sa3, 'LGA', r.lga, 'POA', r.poa, 'STE', h.state) AS areas
  FROM serving.property_event e JOIN asset.valuation_home h USING (gnaf_pid) JOIN asset.address_home r USING (gnaf_pid), day
  WHERE e.date < day.as_of),
fact AS (
  SELECT event.*, level, area,
    CASE WHEN closed IS NULL AND last_date >= as_of - 1 - CASE type WHEN 'For Sale' THEN 180 ELSE 60 END THEN true
      WHEN closed IS NULL THEN false END AS is_open
  FROM event, jsonb_each_text(areas) AS located (level, area)
  WHERE market IS NOT NULL AND area IS NOT NULL),
figures AS (
  SELECT level, area, market,
    count(*) FILTER (WHERE type = 'Sold' AND is_evidence AND date >= as_of - interval '1 year')::int AS price_sample,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FILTER (WHERE type = 'Sold' AND is_evidence AND date >= as_of - interval '1 year') AS median_price,
    ${[1, 3, 5, 10]
      .map((years) => {
        const then = `type = 'Sold' AND is_evidence AND date >= as_of - interval '${years + 1} years' AND date < as_of - interval '${years} years'`;
        return `CASE WHEN count(*) FILTER (WHERE ${then}) >= 10 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FILTER (WHERE ${then}) END AS price_${years}y,`;
      })
      .join('\n    ')}
    count(*) FILTER (WHERE type = 'For Rent' AND price IS NOT NULL AND date >= as_of - interval '1 year')::int AS rent_sample,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY price) FILTER (WHERE type = 'For Rent' AND date >= as_of - interval '1 year') AS median_rent_aud_pw,
    count(*) FILTER (WHERE type = 'For Sale' AND end_reason = 'sold' AND closed >= as_of - interval '1 year' AND closed >= date)::int AS days_on_market_sample,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY closed - date)
      FILTER (WHERE type = 'For Sale' AND end_reason = 'sold' AND closed >= as_of - interval '1 year' AND closed >= date) AS days_on_market,
    count(*) FILTER (WHERE type = 'For Sale' AND is_open)::int AS stock,
    count(*) FILTER (WHERE type = 'For Rent' AND is_open AND as_of - 1 - date >= 21)::int AS vacant_rentals,
    count(*) FILTER (WHERE type = 'For Rent' AND (is_open OR (closed >= as_of - interval '1 year' AND closed > date)))::int AS lasting
  FROM fact GROUP BY level, area, market
  HAVING bool_or(type <> 'Sold' OR is_evidence)),
census AS (
  SELECT DISTINCT ON (c.level, area) c.level, CASE c.level WHEN 'SAL' THEN d.name
      WHEN 'STE' THEN (ARRAY['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT', 'OT'])[c.code::int] ELSE c.code END AS area,
    rented_houses, rented_units
  FROM record.census_region c LEFT JOIN serving.region_demographics d ON d.level = c.level AND d.code = c.code
  WHERE c.level IN ('SAL', 'SA1', 'SA2', 'SA3', 'LGA', 'POA', 'STE') ORDER BY c.level, area, c.year DESC)
SELECT level, area, market, price_sample, rent_sample, days_on_market_sample, stock, vacant_rentals, rented_dwellings,
  CASE WHEN price_sample >= 10 THEN median_price END AS median_price,
  CASE WHEN rent_sample >= 10 THEN median_rent_aud_pw END AS median_rent_aud_pw,
  ${[1, 3, 5, 10]
    .map(
      (years) =>
        `CASE WHEN price_sample >= 10 THEN 100 * (median_price / price_${years}y - 1) END AS growth_${years}y_percent,`,
    )
    .join('\n  ')}
  CASE WHEN price_sample >= 10 AND rent_sample >= 10 THEN 5200 * median_rent_aud_pw / median_price END AS gross_yield_percent,
  CASE WHEN days_on_market_sample >= 10 THEN days_on_market END AS days_on_market,
  CASE WHEN price_sample >= 10 THEN 12.0::float8 * stock / price_sample END AS months_of_supply,
  CASE WHEN rented_dwellings >= 100 AND lasting >= 10 THEN 100.0::float8 * vacant_rentals / rented_dwellings END AS vacancy_percent
FROM figures JOIN LATERAL (SELECT (SELECT CASE market WHEN 'house' THEN rented_houses ELSE rented_units END
    FROM census WHERE census.level = figures.level AND census.area = figures.area) AS rented_dwellings) AS of_census ON true
ORDER BY level COLLATE "C", area COLLATE "C", market`;

/** How far a served figure may be off by rounding; the others must be equal. */
export const ROUNDED: Readonly<Record<string, number>> = {
  median_price: 0.5,
  median_rent_aud_pw: 0.5,
  growth_1y_percent: 0.005,
  growth_3y_percent: 0.005,
  growth_5y_percent: 0.005,
  growth_10y_percent: 0.005,
  gross_yield_percent: 0.005,
  days_on_market: 0.5,
  months_of_supply: 0.05,
  vacancy_percent: 0.005,
};
