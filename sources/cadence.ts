/** How often a publisher delivers: in words, and in days after which a release is overdue. */
export interface Cadence {
  text: string;
  /** Null: no release cycle, so a release is never overdue. */
  days: number | null;
}

const [DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY, FIVE_YEARLY]: Cadence[] = [
  { text: 'daily', days: 2 },
  { text: 'weekly', days: 10 },
  { text: 'monthly', days: 45 },
  { text: 'quarterly', days: 120 },
  { text: 'yearly', days: 460 },
  { text: 'every five years', days: 2200 },
];
const NONE: Cadence = { text: 'no fixed rhythm', days: null };

/**
 * Publisher's release cycle of each adapter's data. The days allow for a late delivery: a quarterly release comes within four months.
 * `datasets.<name>.cadence_days` overrides them if a state has another cycle.
 */
export const CADENCE_OF: Readonly<Record<string, Cadence>> = {
  gnaf: QUARTERLY!,
  asgs: FIVE_YEARLY!,
  cadastre: MONTHLY!,
  zoning: MONTHLY!,
  overlays: MONTHLY!,
  hazards: NONE,
  schools: YEARLY!,
  school_measures: YEARLY!,
  census: FIVE_YEARLY!,
  seifa: FIVE_YEARLY!,
  gtfs: WEEKLY!,
  stops: NONE,
  osm: MONTHLY!,
  overture: MONTHLY!,
  places_csv: NONE,
  listings: DAILY!,
  reaxml: DAILY!,
  nsw_psi: WEEKLY!,
  sales_csv: NONE,
};

/** Returns the release cycle of an adapter's data; an adapter that is not listed has none. */
export const cadenceOf = (adapter: string): Cadence => CADENCE_OF[adapter] ?? NONE;
