import { type Column, nullable } from '../table.ts';

const share = (what: string): Column<'float8', true> =>
  nullable('float8', `${what}, a fraction; null: not delivered, or fewer than 30 in the denominator.`);
const median = (what: string): Column<'int4', true> => nullable('int4', `${what}; null: not available.`);

/** Census measures served for a region, computed by transforms/regions/demographics.ts. */
export const censusMeasures = {
  population: nullable('int4', 'Usual residents; null: not delivered.'),
  median_age: median('Median age, years'),
  share_0_14: share('Persons aged 0 to 14'),
  share_15_24: share('Persons aged 15 to 24'),
  share_25_44: share('Persons aged 25 to 44'),
  share_45_64: share('Persons aged 45 to 64'),
  share_65_over: share('Persons aged 65 and over'),
  born_overseas_share: share('Persons born overseas, of those who answered'),
  other_language_share: share('Persons who use a language other than English at home, of those who answered'),
  indigenous_share: share('Aboriginal and Torres Strait Islander persons'),
  median_household_income_aud_pw: median('Median household income, dollars a week'),
  median_family_income_aud_pw: median('Median family income, dollars a week'),
  median_personal_income_aud_pw: median('Median personal income, dollars a week'),
  median_rent_aud_pw: median('Median rent, dollars a week'),
  median_mortgage_aud_pm: median('Median mortgage repayment, dollars a month'),
  household_size: nullable('float8', 'Persons in a household, mean; null: not available.'),
  family_household_share: share('Family households'),
  lone_person_household_share: share('Households of one person'),
  owned_outright_share: share('Dwellings owned outright'),
  owned_with_mortgage_share: share('Dwellings owned with a mortgage'),
  rented_share: share('Rented dwellings'),
  public_housing_share: share('Dwellings rented from a housing authority or community provider'),
  separate_house_share: share('Separate houses'),
  semi_detached_share: share('Semi-detached, row and terrace houses'),
  flat_share: share('Flats and apartments'),
  unoccupied_share: share('Unoccupied dwellings'),
  unemployment_rate: share('Unemployed share of the labour force'),
  participation_rate: share('Labour force of persons aged 15 and over'),
  bachelor_share: share('Persons with a bachelor degree or higher'),
  household_income_3000_over_share: share('Households with $3,000 a week or more'),
} as const;
