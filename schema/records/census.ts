import { type Column, col, nullable, table } from '../table.ts';

/** ABS levels of the Census and SEIFA data; AUS is the nation. */
export const CENSUS_LEVELS = [
  'SA1',
  'SA2',
  'SA3',
  'SA4',
  'GCCSA',
  'SAL',
  'LGA',
  'POA',
  'STE',
  'AUS',
] as const;
export type CensusLevel = (typeof CENSUS_LEVELS)[number];

/** ASGS edition of each Census year's codes. Source: ABS, ASGS editions. */
export const EDITION_OF_CENSUS: Readonly<Record<number, number>> = { 2011: 1, 2016: 2, 2021: 3, 2026: 4 };

/** Region of a Census or SEIFA row. */
export const censusRegion = {
  load_id: col('int4', 'Load that brought the row.'),
  source_no: col(
    'int4',
    'Line of the file that brought the row: of the first of its tables that has the region.',
  ),
  edition: col('int2', 'ASGS edition of the code: 3 for 2021, 4 for 2026. Codes of two editions never join.'),
  year: col('int2', 'Census year.'),
  level: col('text', 'SA1 SA2 SA3 SA4 GCCSA SAL LGA POA STE AUS.'),
  code: col('text', 'ABS code without the prefix of its level, for example 20002 for SAL20002.'),
} as const;

const count = (what: string, name: string): Column<'int4', true> =>
  nullable('int4', `${what} (${name}); null: not delivered or not available.`);
const median = <T extends 'int4' | 'float8'>(type: T, what: string, name: string): Column<T, true> =>
  nullable(type, `${what} (${name}); null: not delivered, or 0, with which the ABS says not available.`);

/** G01: selected person characteristics. */
const people = {
  population: count('Persons', 'Tot_P_P'),
  males: count('Males', 'Tot_P_M'),
  females: count('Females', 'Tot_P_F'),
  age_0_4: count('Aged 0 to 4', 'Age_0_4_yr_P'),
  age_5_14: count('Aged 5 to 14', 'Age_5_14_yr_P'),
  age_15_19: count('Aged 15 to 19', 'Age_15_19_yr_P'),
  age_20_24: count('Aged 20 to 24', 'Age_20_24_yr_P'),
  age_25_34: count('Aged 25 to 34', 'Age_25_34_yr_P'),
  age_35_44: count('Aged 35 to 44', 'Age_35_44_yr_P'),
  age_45_54: count('Aged 45 to 54', 'Age_45_54_yr_P'),
  age_55_64: count('Aged 55 to 64', 'Age_55_64_yr_P'),
  age_65_74: count('Aged 65 to 74', 'Age_65_74_yr_P'),
  age_75_84: count('Aged 75 to 84', 'Age_75_84_yr_P'),
  age_85_over: count('Aged 85 and over', 'Age_85ov_P'),
  indigenous: count('Aboriginal and Torres Strait Islander persons', 'Indigenous_P_Tot_P'),
  born_in_australia: count('Born in Australia', 'Birthplace_Australia_P'),
  born_elsewhere: count('Born elsewhere', 'Birthplace_Elsewhere_P'),
  english_only: count('Use English only at home', 'Lang_used_home_Eng_only_P'),
  other_language: count('Use another language at home', 'Lang_used_home_Oth_Lang_P'),
  year_12: count('Completed year 12 or equivalent', 'High_yr_schl_comp_Yr_12_eq_P'),
} as const;

/** G02: medians and averages. */
const medians = {
  median_age: median('int4', 'Median age of persons, years', 'Median_age_persons'),
  median_mortgage_aud_pm: median(
    'int4',
    'Median mortgage repayment, dollars a month',
    'Median_mortgage_repay_monthly',
  ),
  median_personal_income_aud_pw: median(
    'int4',
    'Median personal income, dollars a week',
    'Median_tot_prsnl_inc_weekly',
  ),
  median_rent_aud_pw: median('int4', 'Median rent, dollars a week', 'Median_rent_weekly'),
  median_family_income_aud_pw: median(
    'int4',
    'Median family income, dollars a week',
    'Median_tot_fam_inc_weekly',
  ),
  persons_per_bedroom: median('float8', 'Average persons per bedroom', 'Average_num_psns_per_bedroom'),
  median_household_income_aud_pw: median(
    'int4',
    'Median household income, dollars a week',
    'Median_tot_hhd_inc_weekly',
  ),
  household_size: median('float8', 'Average persons in a household', 'Average_household_size'),
} as const;

const personal = (what: string, name: string): Column<'int4', true> =>
  count(`Persons aged 15 and over with a personal income ${what}`, name);

/** G17: total personal income per week. */
const personalIncome = {
  personal_income_nil: personal('of nil or less', 'P_Neg_Nil_income_Tot'),
  personal_income_1_499: personal(
    'of $1 to $499 a week',
    'P_1_149_Tot + P_150_299_Tot + P_300_399_Tot + P_400_499_Tot',
  ),
  personal_income_500_999: personal(
    'of $500 to $999 a week',
    'P_500_649_Tot + P_650_799_Tot + P_800_999_Tot',
  ),
  personal_income_1000_1999: personal(
    'of $1,000 to $1,999 a week',
    'P_1000_1249_Tot + P_1250_1499_Tot + P_1500_1749_Tot + P_1750_1999_Tot',
  ),
  personal_income_2000_over: personal(
    'of $2,000 or more a week',
    'P_2000_2999_Tot + P_3000_3499_Tot + P_3500_more_Tot',
  ),
  personal_income_not_stated: personal('that is not stated', 'P_PI_NS_ns_Tot'),
  personal_income_total: personal('of any kind', 'P_Tot_Tot'),
} as const;

const household = (what: string, name: string): Column<'int4', true> =>
  count(`Households with an income ${what}`, name);

/** G33: total household income per week. */
const householdIncome = {
  household_income_nil: household('of nil or less', 'Negative_Nil_income_Tot'),
  household_income_1_649: household(
    'of $1 to $649 a week',
    'HI_1_149_Tot + HI_150_299_Tot + HI_300_399_Tot + HI_400_499_Tot + HI_500_649_Tot',
  ),
  household_income_650_1249: household(
    'of $650 to $1,249 a week',
    'HI_650_799_Tot + HI_800_999_Tot + HI_1000_1249_Tot',
  ),
  household_income_1250_1999: household(
    'of $1,250 to $1,999 a week',
    'HI_1250_1499_Tot + HI_1500_1749_Tot + HI_1750_1999_Tot',
  ),
  household_income_2000_2999: household('of $2,000 to $2,999 a week', 'HI_2000_2499_Tot + HI_2500_2999_Tot'),
  household_income_3000_3999: household('of $3,000 to $3,999 a week', 'HI_3000_3499_Tot + HI_3500_3999_Tot'),
  household_income_4000_over: household('of $4,000 or more a week', 'HI_4000_more_Tot'),
  household_income_not_stated: household(
    'that is not or not wholly stated',
    'Partial_income_stated_Tot + All_incomes_not_stated_Tot',
  ),
  household_income_total: household('of any kind', 'Tot_Tot'),
} as const;

/** G36 and G42: dwellings and their occupants. */
const dwellings = {
  separate_houses: count('Occupied separate houses', 'OPDs_Separate_house_Dwellings'),
  semi_detached: count('Occupied semi-detached, row or terrace houses', 'OPDs_SD_r_t_h_th_Tot_Dwgs'),
  flats: count('Occupied flats and apartments', 'OPDs_Flt_apart_Tot_Dwgs'),
  other_dwellings: count('Occupied dwellings of another structure', 'OPDs_Other_dwelling_Tot_Dwgs'),
  occupied_dwellings: count('Occupied private dwellings', 'OPDs_Tot_OPDs_Dwellings'),
  unoccupied_dwellings: count('Unoccupied private dwellings', 'Unoccupied_PDs_Dwgs'),
  private_dwellings: count('Private dwellings', 'Total_PDs_Dwellings'),
  lone_person_households: count('Households of one person', 'Tot_Lone_P_H'),
  group_households: count('Group households', 'Tot_Group_H'),
  family_households: count('Family households', 'Tot_FHs_Tot'),
  households: count('Households', 'Tot_Tot of G42'),
} as const;

/** G37: tenure and landlord type, of occupied private dwellings. */
const tenure = {
  owned_outright: count('Dwellings owned outright', 'O_OR_Total'),
  owned_with_mortgage: count('Dwellings owned with a mortgage', 'O_MTG_Total'),
  rented: count('Rented dwellings', 'R_Tot_Total'),
  rented_houses: count('Rented separate houses', 'R_Tot_DS_Sep_house'),
  rented_units: count(
    'Rented semi-detached houses, terraces, townhouses, flats and apartments',
    'R_Tot_DS_SemiD_ro_or_tce_h_th + R_Tot_DS_Flat_apart',
  ),
  rented_from_agent: count('Dwellings rented through a real estate agent', 'R_RE_Agt_Total'),
  rented_from_state: count(
    'Dwellings rented from a state or territory housing authority',
    'R_ST_h_auth_Total',
  ),
  rented_from_community: count('Dwellings rented from a community housing provider', 'R_Com_Hp_Total'),
  other_tenure: count('Dwellings of another tenure', 'Oth_ten_type_Total'),
  tenure_not_stated: count('Dwellings whose tenure is not stated', 'Ten_type_NS_Total'),
  tenure_total: count('Dwellings of any tenure', 'Total_Total'),
} as const;

/** G38 and G40: housing costs. */
const costs = {
  mortgage_3000_over: count(
    'Dwellings with a mortgage repayment of $3,000 or more a month',
    'M_3000_3999_Tot + M_4000_over_Tot',
  ),
  mortgage_total: count('Dwellings with a mortgage', 'Tot_Tot of G38'),
  rent_650_over: count(
    'Dwellings with a rent of $650 or more a week',
    'R_650_749_Tot + R_750_849_Tot + R_850_949_Tot + R_950_over_Tot',
  ),
  rent_total: count('Rented dwellings of any rent', 'Tot_Tot of G40'),
} as const;

/** G43: labour force and non-school qualifications. */
const labour = {
  persons_15_over: count('Persons aged 15 and over', 'P_15_yrs_over_P'),
  labour_force: count('Persons in the labour force', 'lfs_Tot_LF_P'),
  unemployed: count('Unemployed persons looking for work', 'lfs_Unmplyed_lookng_for_wrk_P'),
  not_in_labour_force: count('Persons not in the labour force', 'lfs_N_the_labour_force_P'),
  unemployment_pct: nullable(
    'float8',
    'Unemployed of the labour force, per cent, as published (Percent_Unem_loyment_P); null: not available.',
  ),
  participation_pct: nullable(
    'float8',
    'Labour force of persons aged 15 and over, per cent, as published (Percnt_LabForc_prticipation_P); null: not available.',
  ),
  bachelor_or_higher: count(
    'Persons with a bachelor degree or higher',
    'non_sch_qual_PostGrad_Dgre_P + non_sch_qual_Gr_Dip_Gr_Crt_P + non_sch_qual_Bchelr_Degree_P',
  ),
} as const;

/** Census counts and medians of a region, without its identity. */
export const censusFigures = {
  ...people,
  ...medians,
  ...personalIncome,
  ...householdIncome,
  ...dwellings,
  ...tenure,
  ...costs,
  ...labour,
} as const;
export type CensusFigure = keyof typeof censusFigures;

/** Source: ABS Census of Population and Housing, General Community Profile DataPacks. */
export const censusRegionRecord = table({
  schema: 'record',
  name: 'census_region',
  doc: 'Census figures of one region. Counts are randomly adjusted by the ABS: parts do not add up to totals, and small ones are noise.',
  columns: { ...censusRegion, ...censusFigures },
  primaryKey: ['year', 'level', 'code'],
});

export const CENSUS_SUBJECTS = [
  'age',
  'ancestry',
  'birthplace',
  'personal_income',
  'household_income',
  'mortgage',
  'rent',
  'tenure',
  'household',
  'education',
  'industry',
  'occupation',
] as const;
export type CensusSubject = (typeof CENSUS_SUBJECTS)[number];

/** Source: General Community Profile DataPacks, tables G01, G08, G09, G17, G33, G37, G38, G40, G42, G49, G54 and G60. */
export const censusCountRecord = table({
  schema: 'record',
  name: 'census_count',
  doc: 'One count of a subject in a region. Counts of 0 have no row.',
  columns: {
    ...censusRegion,
    subject: col(
      'text',
      'age, ancestry, birthplace, personal_income, household_income, mortgage, rent, tenure, household, education, industry or occupation.',
    ),
    category: col('text', 'Category in words, for example Professionals, 25 to 34, or $650 to $799.'),
    census_name: col('text', 'Column of the DataPack, verbatim.'),
    kind: col(
      'text',
      'part; subtotal (a sum of parts that stand beside it); not_stated; or total (of all, not stated included).',
    ),
    persons: col(
      'int4',
      'Persons; responses for ancestry (up to two a person); households for household_income and household; dwellings for mortgage, rent and tenure.',
    ),
  },
  primaryKey: ['year', 'level', 'code', 'subject', 'census_name'],
});
