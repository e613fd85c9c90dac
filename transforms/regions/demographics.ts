import type { CensusFigure, censusRegionRecord } from '../../schema/records/census.ts';
import type { Row } from '../../schema/table.ts';

/** Census counts of a region, as in a row of `record.census_region`. */
export type CensusFigures = Pick<Row<typeof censusRegionRecord>, CensusFigure>;

/**
 * Minimum denominator of a share. The ABS randomly adjusts every count by a few; below 30 the noise exceeds a tenth. Source: ABS,
 * Census methodology, introduced random error.
 */
const MIN_DENOMINATOR = 30;

/**
 * Returns a share as a fraction from 0 to 1. Null: a part is unknown, or the whole is below `MIN_DENOMINATOR`. Random adjustment
 * can make a part larger than its whole: such a share is 1.
 */
export function shareOf(part: number | null, total: number | null): number | null {
  if (part === null || total === null || total < MIN_DENOMINATOR) return null;
  return Math.min(1, Math.max(0, part / total));
}

/** Returns the sum; null if a term is unknown. */
export const sumOf = (...terms: (number | null)[]): number | null =>
  terms.reduce<number | null>((sum, term) => (sum === null || term === null ? null : sum + term), 0);

/** Returns the difference, at least 0; null if a term is unknown. */
const difference = (total: number | null, part: number | null): number | null =>
  total === null || part === null ? null : Math.max(0, total - part);

/**
 * Returns the share of public housing in occupied private dwellings: (rented from the state authority + from a community provider)
 * / (dwellings of any tenure - not stated).
 */
export const publicHousingShare = (
  row: Pick<
    CensusFigures,
    'rented_from_state' | 'rented_from_community' | 'tenure_total' | 'tenure_not_stated'
  >,
): number | null =>
  shareOf(
    sumOf(row.rented_from_state, row.rented_from_community),
    difference(row.tenure_total, row.tenure_not_stated),
  );

/** One category of a Census subject with its count. */
export interface CensusCount {
  category: string;
  census_name: string;
  persons: number;
}

/** Counts of a Census subject with their shares of those who answered. */
export interface CensusShares {
  /** Number of those who answered: the total without not stated, or the sum of the parts if the total is unknown. Null: both unknown. */
  counted: number | null;
  categories: (CensusCount & { share: number | null })[];
}

/**
 * Returns the shares of a subject's parts, in the given order; `total` includes not stated. A share with a denominator below
 * `MIN_DENOMINATOR` is null. A person may state two ancestries, so their shares add up to more than 1 if the total counts persons.
 */
export function censusShares(
  parts: readonly CensusCount[],
  total: number | null,
  not_stated: number | null,
): CensusShares {
  const sum = parts.reduce((all, { persons }) => all + persons, 0);
  const counts = total === null ? (parts.length > 0 ? sum : null) : difference(total, not_stated ?? 0);
  return {
    counted: counts,
    categories: parts.map((part) => ({ ...part, share: shareOf(part.persons, counts) })),
  };
}

/** Census data served for a region. Shares are fractions, incomes and rents dollars per week. Null: unknown or too few. */
export interface Demographics {
  readonly population: number | null;
  readonly median_age: number | null;
  readonly share_0_14: number | null;
  readonly share_15_24: number | null;
  readonly share_25_44: number | null;
  readonly share_45_64: number | null;
  readonly share_65_over: number | null;
  readonly born_overseas_share: number | null;
  readonly other_language_share: number | null;
  readonly indigenous_share: number | null;
  readonly median_household_income_aud_pw: number | null;
  readonly median_family_income_aud_pw: number | null;
  readonly median_personal_income_aud_pw: number | null;
  readonly median_rent_aud_pw: number | null;
  readonly median_mortgage_aud_pm: number | null;
  readonly household_size: number | null;
  readonly family_household_share: number | null;
  readonly lone_person_household_share: number | null;
  readonly owned_outright_share: number | null;
  readonly owned_with_mortgage_share: number | null;
  readonly rented_share: number | null;
  readonly public_housing_share: number | null;
  readonly separate_house_share: number | null;
  readonly semi_detached_share: number | null;
  readonly flat_share: number | null;
  readonly unoccupied_share: number | null;
  readonly unemployment_rate: number | null;
  readonly participation_rate: number | null;
  readonly bachelor_share: number | null;
  readonly household_income_3000_over_share: number | null;
}

/** Returns age shares of all persons. Persons below 15 are never counted in the bands from 15, whatever the adjustment. */
function ages(row: CensusFigures) {
  const share = (...bands: (number | null)[]): number | null => shareOf(sumOf(...bands), row.population);
  return {
    share_0_14: share(row.age_0_4, row.age_5_14),
    share_15_24: share(row.age_15_19, row.age_20_24),
    share_25_44: share(row.age_25_34, row.age_35_44),
    share_45_64: share(row.age_45_54, row.age_55_64),
    share_65_over: share(row.age_65_74, row.age_75_84, row.age_85_over),
  };
}

/** Returns shares of those who answered: no denominator includes not stated. */
function origins(row: CensusFigures) {
  return {
    born_overseas_share: shareOf(row.born_elsewhere, sumOf(row.born_in_australia, row.born_elsewhere)),
    other_language_share: shareOf(row.other_language, sumOf(row.english_only, row.other_language)),
    indigenous_share: shareOf(row.indigenous, row.population),
  };
}

function homes(row: CensusFigures) {
  const statedTenures = difference(row.tenure_total, row.tenure_not_stated);
  return {
    family_household_share: shareOf(row.family_households, row.households),
    lone_person_household_share: shareOf(row.lone_person_households, row.households),
    owned_outright_share: shareOf(row.owned_outright, statedTenures),
    owned_with_mortgage_share: shareOf(row.owned_with_mortgage, statedTenures),
    rented_share: shareOf(row.rented, statedTenures),
    public_housing_share: publicHousingShare(row),
    separate_house_share: shareOf(row.separate_houses, row.occupied_dwellings),
    semi_detached_share: shareOf(row.semi_detached, row.occupied_dwellings),
    flat_share: shareOf(row.flats, row.occupied_dwellings),
    unoccupied_share: shareOf(row.unoccupied_dwellings, row.private_dwellings),
  };
}

function work(row: CensusFigures) {
  const incomes = difference(row.household_income_total, row.household_income_not_stated);
  return {
    unemployment_rate: shareOf(row.unemployed, row.labour_force),
    participation_rate: shareOf(row.labour_force, sumOf(row.labour_force, row.not_in_labour_force)),
    bachelor_share: shareOf(row.bachelor_or_higher, row.persons_15_over),
    household_income_3000_over_share: shareOf(
      sumOf(row.household_income_3000_3999, row.household_income_4000_over),
      incomes,
    ),
  };
}

/** Returns the shares and medians of a region. Medians are as published by the ABS; shares follow `shareOf`. */
export function demographicsOf(row: CensusFigures): Demographics {
  return {
    population: row.population,
    median_age: row.median_age,
    ...ages(row),
    ...origins(row),
    median_household_income_aud_pw: row.median_household_income_aud_pw,
    median_family_income_aud_pw: row.median_family_income_aud_pw,
    median_personal_income_aud_pw: row.median_personal_income_aud_pw,
    median_rent_aud_pw: row.median_rent_aud_pw,
    median_mortgage_aud_pm: row.median_mortgage_aud_pm,
    household_size: row.household_size,
    ...homes(row),
    ...work(row),
  };
}
