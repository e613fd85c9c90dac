import { describe, expect, it } from 'vitest';
import { type CensusFigure, censusFigures } from '../../../schema/records/census.ts';
import {
  type CensusFigures,
  censusShares,
  demographicsOf,
  publicHousingShare,
  shareOf,
  sumOf,
} from '../../../transforms/regions/demographics.ts';

const figures = (known: Partial<CensusFigures>): CensusFigures => ({
  ...(Object.fromEntries(Object.keys(censusFigures).map((name) => [name, null])) as Record<
    CensusFigure,
    null
  >),
  ...known,
});

describe('shareOf', () => {
  it.each([
    [15, 30, 0.5],
    [0, 30, 0],
    [33, 30, 1],
    [15, 29, null],
    [0, 0, null],
    [null, 100, null],
    [5, null, null],
  ])('%s of %s', (part, whole, share) => expect(shareOf(part, whole)).toBe(share));
});

it('a sum with an unknown term is unknown', () => {
  expect(sumOf(1, 2, 3)).toBe(6);
  expect(sumOf(1, null)).toBeNull();
});

describe('publicHousingShare', () => {
  const known = { rented_from_state: 12, rented_from_community: 8, tenure_total: 110, tenure_not_stated: 10 };
  it.each([
    ['state and community over stated tenure', known, 0.2],
    ['too few dwellings that state their tenure', { ...known, tenure_total: 39 }, null],
    ['more not stated than there are', { ...known, tenure_not_stated: 200 }, null],
    ['community housing not delivered', { ...known, rented_from_community: null }, null],
  ])('%s', (_what, row, share) => expect(publicHousingShare(figures(row))).toBe(share));
});

describe('censusShares', () => {
  const parts = [
    { category: 'England', census_name: 'P_England_Tot', persons: 30 },
    { category: 'China', census_name: 'P_China_Tot', persons: 10 },
  ];
  it.each([
    ['the total without what is not stated', 60, 10, 50, 0.6],
    ['the total where all answered', 60, null, 60, 0.5],
    ['the parts where there is no total', null, null, 40, 0.75],
    ['nobody where too few answered', 35, 10, 25, null],
  ])('are of %s', (_what, total, not_stated, counted, share) => {
    const { counted: found, categories } = censusShares(parts, total, not_stated);
    expect([found, categories[0]!.share]).toEqual([counted, share]);
    expect(categories.map(({ census_name }) => census_name)).toEqual(['P_England_Tot', 'P_China_Tot']);
  });

  it('are unknown of nothing', () =>
    expect(censusShares([], null, null)).toEqual({ counted: null, categories: [] }));
});

describe('demographicsOf', () => {
  it('passes medians on and computes shares of what is stated', () => {
    const demographics = demographicsOf(
      figures({
        population: 1000,
        median_age: 38,
        age_0_4: 60,
        age_5_14: 120,
        age_65_74: 100,
        age_75_84: 50,
        age_85_over: null,
        born_in_australia: 600,
        born_elsewhere: 200,
        owned_outright: 100,
        rented: 150,
        tenure_total: 420,
        tenure_not_stated: 20,
        occupied_dwellings: 400,
        flats: 100,
        unemployed: 20,
        labour_force: 500,
        not_in_labour_force: 300,
        bachelor_or_higher: 200,
        persons_15_over: 800,
        household_income_3000_3999: 50,
        household_income_4000_over: 25,
        household_income_total: 400,
        household_income_not_stated: 100,
      }),
    );
    expect(demographics).toMatchObject({
      population: 1000,
      median_age: 38,
      share_0_14: 0.18,
      share_15_24: null,
      share_65_over: null,
      born_overseas_share: 0.25,
      owned_outright_share: 0.25,
      rented_share: 0.375,
      flat_share: 0.25,
      unemployment_rate: 0.04,
      participation_rate: 0.625,
      bachelor_share: 0.25,
      household_income_3000_over_share: 0.25,
      median_rent_aud_pw: null,
    });
  });

  it('is null throughout for a region without figures', () => {
    expect(Object.values(demographicsOf(figures({}))).filter((value) => value !== null)).toEqual([]);
  });
});
