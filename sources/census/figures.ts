import type { CensusFigure } from '../../schema/records/census.ts';

/** Source of a figure: the sum of these columns of one table, each with its names in several years, the latest first. */
export interface FigureSource {
  readonly table: string;
  readonly columns: readonly (readonly string[])[];
  /** A 0 means "not available". */
  readonly zeroIsNull: boolean;
  /** True: null if a pack lacks one of the columns. False: such a pack is refused. */
  readonly isOptional: boolean;
}

const of = (table: string, ...columns: (string | readonly string[])[]): FigureSource => ({
  table,
  columns: columns.map((names) => [names].flat()),
  zeroIsNull: table === 'G02',
  isOptional: false,
});

/** Columns of the General Community Profile, short header. The ABS misspells some and renames others between years. */
export const FIGURES: Readonly<Record<CensusFigure, FigureSource>> = {
  population: of('G01', 'Tot_P_P'),
  males: of('G01', 'Tot_P_M'),
  females: of('G01', 'Tot_P_F'),
  age_0_4: of('G01', 'Age_0_4_yr_P'),
  age_5_14: of('G01', 'Age_5_14_yr_P'),
  age_15_19: of('G01', 'Age_15_19_yr_P'),
  age_20_24: of('G01', 'Age_20_24_yr_P'),
  age_25_34: of('G01', 'Age_25_34_yr_P'),
  age_35_44: of('G01', 'Age_35_44_yr_P'),
  age_45_54: of('G01', 'Age_45_54_yr_P'),
  age_55_64: of('G01', 'Age_55_64_yr_P'),
  age_65_74: of('G01', 'Age_65_74_yr_P'),
  age_75_84: of('G01', 'Age_75_84_yr_P'),
  age_85_over: of('G01', ['Age_85ov_P', 'Age_85_yr_over_P']),
  indigenous: of('G01', ['Indigenous_P_Tot_P', 'Indigenous_psns_Tot_P']),
  born_in_australia: of('G01', 'Birthplace_Australia_P'),
  born_elsewhere: of('G01', 'Birthplace_Elsewhere_P'),
  english_only: of('G01', ['Lang_used_home_Eng_only_P', 'Lang_spoken_home_Eng_only_P']),
  other_language: of('G01', ['Lang_used_home_Oth_Lang_P', 'Lang_spoken_home_Oth_Lang_P']),
  year_12: of('G01', 'High_yr_schl_comp_Yr_12_eq_P'),
  median_age: of('G02', 'Median_age_persons'),
  median_mortgage_aud_pm: of('G02', 'Median_mortgage_repay_monthly'),
  median_personal_income_aud_pw: of('G02', 'Median_tot_prsnl_inc_weekly'),
  median_rent_aud_pw: of('G02', 'Median_rent_weekly'),
  median_family_income_aud_pw: of('G02', ['Median_tot_fam_inc_weekly', 'Median_fam_inc_weekly']),
  persons_per_bedroom: of('G02', 'Average_num_psns_per_bedroom'),
  median_household_income_aud_pw: of('G02', 'Median_tot_hhd_inc_weekly'),
  household_size: of('G02', 'Average_household_size'),
  personal_income_nil: of('G17', 'P_Neg_Nil_income_Tot'),
  personal_income_1_499: of('G17', 'P_1_149_Tot', 'P_150_299_Tot', 'P_300_399_Tot', 'P_400_499_Tot'),
  personal_income_500_999: of('G17', 'P_500_649_Tot', 'P_650_799_Tot', 'P_800_999_Tot'),
  personal_income_1000_1999: of(
    'G17',
    'P_1000_1249_Tot',
    'P_1250_1499_Tot',
    'P_1500_1749_Tot',
    'P_1750_1999_Tot',
  ),
  personal_income_2000_over: of('G17', 'P_2000_2999_Tot', 'P_3000_3499_Tot', 'P_3500_more_Tot'),
  personal_income_not_stated: of('G17', 'P_PI_NS_ns_Tot'),
  personal_income_total: of('G17', 'P_Tot_Tot'),
  household_income_nil: of('G33', 'Negative_Nil_income_Tot'),
  household_income_1_649: of(
    'G33',
    'HI_1_149_Tot',
    'HI_150_299_Tot',
    'HI_300_399_Tot',
    'HI_400_499_Tot',
    'HI_500_649_Tot',
  ),
  household_income_650_1249: of('G33', 'HI_650_799_Tot', 'HI_800_999_Tot', 'HI_1000_1249_Tot'),
  household_income_1250_1999: of('G33', 'HI_1250_1499_Tot', 'HI_1500_1749_Tot', 'HI_1750_1999_Tot'),
  household_income_2000_2999: of('G33', 'HI_2000_2499_Tot', 'HI_2500_2999_Tot'),
  household_income_3000_3999: of('G33', 'HI_3000_3499_Tot', 'HI_3500_3999_Tot'),
  household_income_4000_over: of('G33', 'HI_4000_more_Tot'),
  household_income_not_stated: of('G33', 'Partial_income_stated_Tot', [
    'All_incomes_not_stated_Tot',
    'All_incomes_ns_Tot',
  ]),
  household_income_total: of('G33', 'Tot_Tot'),
  separate_houses: of('G36', 'OPDs_Separate_house_Dwellings'),
  semi_detached: of('G36', 'OPDs_SD_r_t_h_th_Tot_Dwgs'),
  flats: of('G36', ['OPDs_Flt_apart_Tot_Dwgs', 'OPDs_Flt_apt_Tot_Dwgs']),
  other_dwellings: of('G36', 'OPDs_Other_dwelling_Tot_Dwgs'),
  occupied_dwellings: of('G36', 'OPDs_Tot_OPDs_Dwellings'),
  unoccupied_dwellings: of('G36', 'Unoccupied_PDs_Dwgs'),
  private_dwellings: of('G36', 'Total_PDs_Dwellings'),
  lone_person_households: of('G42', 'Tot_Lone_P_H'),
  group_households: of('G42', 'Tot_Group_H'),
  family_households: of('G42', 'Tot_FHs_Tot'),
  households: of('G42', 'Tot_Tot'),
  owned_outright: of('G37', 'O_OR_Total'),
  owned_with_mortgage: of('G37', 'O_MTG_Total'),
  rented: of('G37', 'R_Tot_Total'),
  rented_houses: { ...of('G37', 'R_Tot_DS_Sep_house'), isOptional: true },
  rented_units: {
    ...of('G37', 'R_Tot_DS_SemiD_ro_or_tce_h_th', 'R_Tot_DS_Flat_apart'),
    isOptional: true,
  },
  rented_from_agent: of('G37', 'R_RE_Agt_Total'),
  rented_from_state: of('G37', ['R_ST_h_auth_Total', 'R_St_or_Ter_hou_auth_Total', 'R_St_or_Ter_hou_auth_T']),
  rented_from_community: of('G37', ['R_Com_Hp_Total', 'R_Com_ed_tr_hou_pr_Total', 'R_Com_ed_tr_hou_pr_T']),
  other_tenure: of('G37', 'Oth_ten_type_Total'),
  tenure_not_stated: of('G37', 'Ten_type_NS_Total'),
  tenure_total: of('G37', 'Total_Total'),
  mortgage_3000_over: of('G38', 'M_3000_3999_Tot', 'M_4000_over_Tot'),
  mortgage_total: of('G38', 'Tot_Tot'),
  rent_650_over: of('G40', 'R_650_749_Tot', 'R_750_849_Tot', 'R_850_949_Tot', 'R_950_over_Tot'),
  rent_total: of('G40', 'Tot_Tot'),
  persons_15_over: of('G43', 'P_15_yrs_over_P'),
  labour_force: of('G43', 'lfs_Tot_LF_P'),
  unemployed: of('G43', ['lfs_Unmplyed_lookng_for_wrk_P', 'lfs_Unemployed_lookng_for_wrk_P']),
  not_in_labour_force: of('G43', ['lfs_N_the_labour_force_P', 'lfs_Not_in_the_labour_force_P']),
  unemployment_pct: of('G43', ['Percent_Unem_loyment_P', 'Percent_Unemployment_P']),
  participation_pct: of('G43', ['Percnt_LabForc_prticipation_P', 'Percent_LabForce_participation_P']),
  bachelor_or_higher: of(
    'G43',
    ['non_sch_qual_PostGrad_Dgre_P', 'Non_sch_quals_PostGrad_Dgre_P'],
    ['non_sch_qual_Gr_Dip_Gr_Crt_P', 'Non_sch_quals_Gr_Dip_Gr_Crt_P'],
    ['non_sch_qual_Bchelr_Degree_P', 'Non_sch_quals_Bchelr_Degree_P'],
  ),
};

/** Names of the figures, in storage order. */
export const FIGURE_NAMES = Object.keys(FIGURES) as CensusFigure[];

/**
 * Letters of the files with persons and totals, for tables that the ABS cuts into several because they are wide. The other letters hold
 * males and females. A table that is not listed comes as one file. Source: 2021 DataPacks.
 */
export const LETTERS: Readonly<Record<string, string>> = {
  G09: 'FGH',
  G17: 'BC',
  G49: 'B',
  G54: 'CD',
  G60: 'B',
};
