/** What the weight of a column is a share of. */
export type CensusBase = 'persons' | 'adults' | 'households' | 'occupied' | 'dwellings';

/** A column of the DataPack with the usual share of its base. */
export interface CensusColumn {
  /** Table and letter. */
  readonly file: string;
  readonly name: string;
  readonly base: CensusBase;
  readonly weight: number;
  /** How much richer places have of it: the weight is multiplied by e^(tilt × wealth). */
  readonly tilt: number;
  /** The adapter makes counts of it, of which zeros have no row. */
  readonly counted: boolean;
}

type Entry = readonly [name: string, weight: number, tilt?: number];

const columns = (
  file: string,
  base: CensusBase,
  counted: boolean,
  entries: readonly Entry[],
): CensusColumn[] => entries.map(([name, weight, tilt = 0]) => ({ file, name, base, weight, tilt, counted }));

/** Bands whose middle is common in a usual place and whose upper end is common in a rich one. */
const bands = (names: readonly string[], suffix: string): Entry[] =>
  names.map((name, i) => {
    const place = (2 * i) / (names.length - 1) - 1;
    return [`${name}${suffix}`, (0.6 * (1.6 - Math.abs(place))) / names.length, 0.7 * place];
  });

const PERSONAL =
  '1_149 150_299 300_399 400_499 500_649 650_799 800_999 1000_1249 1250_1499 1500_1749 1750_1999 2000_2999 3000_3499 3500_more';
const HOUSEHOLD =
  '1_149 150_299 300_399 400_499 500_649 650_799 800_999 1000_1249 1250_1499 1500_1749 1750_1999 2000_2499 2500_2999 3000_3499 3500_3999 4000_more';
const MORTGAGE =
  '0_299 300_449 450_599 600_799 800_999 1000_1399 1400_1799 1800_2399 2400_2999 3000_3999 4000_over';
const RENT =
  '1_74 75_99 100_149 150_199 200_224 225_274 275_349 350_449 450_549 550_649 650_749 750_849 850_949 950_over';
const LOW_BANDS = 5;

const prefixed = (prefix: string, names: string): string[] => names.split(' ').map((name) => prefix + name);
const personal = bands(prefixed('P_', PERSONAL), '_Tot');

/** Columns that are written, in the order of the files; G02 is made apart. Names are those of the 2021 DataPacks. */
export const CENSUS_COLUMNS: readonly CensusColumn[] = [
  ...columns('G01', 'persons', false, [
    ['Tot_P_M', 0.49],
    ['Tot_P_F', 0.51],
    ['Tot_P_P', 1],
  ]),
  ...columns('G01', 'persons', true, [
    ['Age_0_4_yr_P', 0.06],
    ['Age_5_14_yr_P', 0.12],
    ['Age_15_19_yr_P', 0.06],
    ['Age_20_24_yr_P', 0.06],
    ['Age_25_34_yr_P', 0.14],
    ['Age_35_44_yr_P', 0.14],
    ['Age_45_54_yr_P', 0.13],
    ['Age_55_64_yr_P', 0.12],
    ['Age_65_74_yr_P', 0.1],
    ['Age_75_84_yr_P', 0.05],
    ['Age_85ov_P', 0.02],
  ]),
  ...columns('G01', 'persons', false, [
    ['Indigenous_P_Tot_P', 0.03, -0.3],
    ['Birthplace_Australia_P', 0.67],
    ['Birthplace_Elsewhere_P', 0.28],
    ['Lang_used_home_Eng_only_P', 0.72],
    ['Lang_used_home_Oth_Lang_P', 0.22],
    ['High_yr_schl_comp_Yr_12_eq_P', 0.5, 0.1],
  ]),
  ...columns('G08', 'persons', true, [
    ['Aust_Tot_resp', 0.3],
    ['Aust_Abor_Tot_resp', 0.02],
    ['Chinese_Tot_resp', 0.06],
    ['English_Tot_resp', 0.33],
    ['Indian_Tot_resp', 0.03],
    ['Irish_Tot_resp', 0.09],
    ['Italian_Tot_resp', 0.04],
    ['Sth_African_Tot_resp', 0.005],
    ['Other_Tot_resp', 0.2],
    ['Ancestry_NS_Tot_resp', 0.05],
    ['Tot_P_Tot_resp', 1.3],
  ]),
  ...columns('G09F', 'persons', true, [
    ['P_Australia_Tot', 0.67],
    ['P_China_Tot', 0.025],
    ['P_England_Tot', 0.04],
  ]),
  ...columns('G09G', 'persons', true, [
    ['P_India_Tot', 0.03],
    ['P_New_Zealand_Tot', 0.02],
    ['P_Sri_Lanka_Tot', 0.005],
  ]),
  ...columns('G09H', 'persons', true, [
    ['P_Vietnam_Tot', 0.01],
    ['P_Elsewhere_Tot', 0.15],
    ['P_COB_NS_Tot', 0.05],
    ['P_Tot_Tot', 1],
  ]),
  ...columns('G17A', 'adults', false, [['M_Tot_Tot', 0.49]]),
  ...columns('G17B', 'adults', true, [['P_Neg_Nil_income_Tot', 0.08], ...personal.slice(0, LOW_BANDS)]),
  ...columns('G17C', 'adults', true, [
    ...personal.slice(LOW_BANDS),
    ['P_PI_NS_ns_Tot', 0.07],
    ['P_Tot_Tot', 1],
  ]),
  ...columns('G33', 'households', true, [
    ['Negative_Nil_income_Tot', 0.02],
    ...bands(prefixed('HI_', HOUSEHOLD), '_Tot'),
    ['Partial_income_stated_Tot', 0.03],
    ['All_incomes_not_stated_Tot', 0.04],
    ['Tot_Tot', 1],
  ]),
  ...columns('G36', 'occupied', false, [
    ['OPDs_Separate_house_Dwellings', 0.7, 0.1],
    ['OPDs_SD_r_t_h_th_Tot_Dwgs', 0.12],
    ['OPDs_Flt_apart_Tot_Dwgs', 0.16],
    ['OPDs_Other_dwelling_Tot_Dwgs', 0.01],
    ['OPDs_Tot_OPDs_Dwellings', 1],
  ]),
  ...columns('G36', 'dwellings', false, [
    ['Unoccupied_PDs_Dwgs', 0.09],
    ['Total_PDs_Dwellings', 1],
  ]),
  ...columns('G37', 'occupied', true, [
    ['O_OR_Total', 0.31, 0.1],
    ['O_MTG_Total', 0.33, 0.1],
    ['R_RE_Agt_Total', 0.2],
    ['R_ST_h_auth_Total', 0.02, -0.5],
    ['R_Com_Hp_Total', 0.005, -0.5],
    ['R_Tot_Total', 0.3, -0.2],
    ['Oth_ten_type_Total', 0.02],
    ['Ten_type_NS_Total', 0.03],
    ['Total_Total', 1],
  ]),
  ...columns('G37', 'occupied', false, [
    ['R_Tot_DS_Sep_house', 0.16, -0.1],
    ['R_Tot_DS_SemiD_ro_or_tce_h_th', 0.05, -0.1],
    ['R_Tot_DS_Flat_apart', 0.09, -0.3],
  ]),
  ...columns('G38', 'occupied', true, [
    ...bands(prefixed('M_', MORTGAGE), '_Tot').map(
      ([name, weight, tilt]): Entry => [name, weight * 0.33, tilt],
    ),
    ['Mort_Rpmnt_ns_Tot', 0.02],
    ['Tot_Tot', 0.33],
  ]),
  ...columns('G40', 'occupied', true, [
    ...bands(prefixed('R_', RENT), '_Tot').map(([name, weight, tilt]): Entry => [name, weight * 0.3, tilt]),
    ['Rent_ns_Tot', 0.01],
    ['Tot_Tot', 0.3],
  ]),
  ...columns('G42', 'households', true, [
    ['Tot_FHs_Tot', 0.7],
    ['Tot_Lone_P_H', 0.25],
    ['Tot_Group_H', 0.04],
    ['Tot_Tot', 1],
  ]),
  ...columns('G43', 'adults', false, [
    ['P_15_yrs_over_P', 1],
    ['lfs_Unmplyed_lookng_for_wrk_P', 0.03, -0.4],
    ['lfs_Tot_LF_P', 0.61],
    ['lfs_N_the_labour_force_P', 0.33],
    ['non_sch_qual_PostGrad_Dgre_P', 0.07, 0.6],
    ['non_sch_qual_Gr_Dip_Gr_Crt_P', 0.02, 0.4],
    ['non_sch_qual_Bchelr_Degree_P', 0.16, 0.4],
  ]),
  ...columns('G49B', 'adults', true, [
    ['P_PGrad_Deg_Total', 0.07, 0.6],
    ['P_GradDip_and_GradCert_Total', 0.02, 0.4],
    ['P_BachDeg_Total', 0.16, 0.4],
    ['P_AdvDip_and_Dip_Total', 0.09],
    ['P_Cert_III_IV_Total', 0.15],
    ['P_Cert_Lev_Tot_Total', 0.17],
    ['P_Lev_Edu_NS_Total', 0.08],
    ['P_Tot_Total', 0.6],
  ]),
  ...columns('G54C', 'adults', true, [
    ['P_Mining_Tot', 0.01],
    ['P_Constru_Tot', 0.05],
    ['P_RetTde_Tot', 0.05],
  ]),
  ...columns('G54D', 'adults', true, [
    ['P_HlthCare_SocAs_Tot', 0.08],
    ['P_ID_NS_Tot', 0.02],
    ['P_Tot_Tot', 0.58],
  ]),
  ...columns('G60B', 'adults', true, [
    ['P_Tot_Managers', 0.08, 0.3],
    ['P_Tot_Professionals', 0.14, 0.4],
    ['P_Tot_TechnicTrades_W', 0.08],
    ['P_Tot_CommunPersnlSvc_W', 0.07],
    ['P_Tot_ClericalAdminis_W', 0.07],
    ['P_Tot_Sales_W', 0.05],
    ['P_Tot_Mach_oper_drivers', 0.04, -0.2],
    ['P_Tot_Labourers', 0.05, -0.3],
    ['P_Tot_Occu_ID_NS', 0.01],
    ['P_Tot_Tot', 0.58],
  ]),
];

/** Medians of G02 in its order: the value of a usual place, what a unit of wealth multiplies it by, and its decimals. */
export const MEDIANS: readonly (readonly [name: string, usual: number, factor: number, digits: number])[] = [
  ['Median_age_persons', 38, 1.02, 0],
  ['Median_mortgage_repay_monthly', 1863, 1.2, 0],
  ['Median_tot_prsnl_inc_weekly', 805, 1.25, 0],
  ['Median_rent_weekly', 375, 1.2, 0],
  ['Median_tot_fam_inc_weekly', 2120, 1.25, 0],
  ['Average_num_psns_per_bedroom', 0.8, 0.97, 1],
  ['Median_tot_hhd_inc_weekly', 1746, 1.25, 0],
  ['Average_household_size', 2.5, 0.99, 1],
];
