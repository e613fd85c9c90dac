import type { CensusSubject } from '../../schema/records/census.ts';

/** Subject and category that a column of a DataPack counts. */
export interface CountColumn {
  readonly subject: CensusSubject;
  readonly category: string;
  readonly census_name: string;
  readonly kind: 'part' | 'subtotal' | 'not_stated' | 'total';
}

/** Columns of a table that count a subject: `pattern` captures the text of the category. */
interface SubjectColumns {
  readonly subject: CensusSubject;
  readonly table: string;
  readonly pattern: RegExp;
  /** Words for captured texts, in lower case, that are not words themselves. */
  readonly labels: Readonly<Record<string, string>>;
}

const TOTAL = /^(tot|tot_p|total)$/i;
const NOT_STATED = /(^|_)(ns|not_stated)(_|$)|^partial_income_stated$|_ides$/i;
const SUBTOTAL = /^(cert_lev_tot|r_tot)$/i;
/** Rented dwellings, including those whose landlord is not stated. */
const RENTED = /^r_/i;

const MONEY: Readonly<Record<string, string>> = {
  neg_nil_income: 'Nil or negative income',
  negative_nil_income: 'Nil or negative income',
  pi_ns_ns: 'Not stated',
  partial_income_stated: 'Partly stated',
  all_incomes_not_stated: 'Not stated',
  all_incomes_ns: 'Not stated',
  mort_rpmnt_ns: 'Not stated',
  rent_ns: 'Not stated',
};

const ANCESTRY: Readonly<Record<string, string>> = {
  aust: 'Australian',
  aust_abor: 'Australian Aboriginal',
  nz: 'New Zealander',
  sth_african: 'South African',
  ancestry_ns: 'Not stated',
};

const BIRTHPLACE: Readonly<Record<string, string>> = {
  bosnia_herzegov: 'Bosnia and Herzegovina',
  cob_ns: 'Not stated',
  elsewhere: 'Elsewhere',
  hong_kong: 'Hong Kong',
  korea_south: 'South Korea',
  korea_republic_of: 'South Korea',
  new_zealand: 'New Zealand',
  nth_ireland: 'Northern Ireland',
  png: 'Papua New Guinea',
  se_europe_nfd: 'South Eastern Europe',
  south_africa: 'South Africa',
  south_eastern_europe: 'South Eastern Europe',
  sri_lanka: 'Sri Lanka',
  usa: 'United States of America',
  united_states_america: 'United States of America',
};

const TENURE: Readonly<Record<string, string>> = {
  o_or: 'Owned outright',
  o_mtg: 'Owned with a mortgage',
  r_tot: 'Rented',
  r_re_agt: 'Rented through a real estate agent',
  r_st_h_auth: 'Rented from a state or territory housing authority',
  r_st_or_ter_hou_auth: 'Rented from a state or territory housing authority',
  r_com_hp: 'Rented from a community housing provider',
  r_com_ed_tr_hou_pr: 'Rented from a community housing provider',
  r_psn_not_in_s_hh: 'Rented from a person not in the same household',
  r_ot_landld_typ: 'Rented from another landlord',
  r_oth_landlord_type: 'Rented from another landlord',
  r_llt_ns: 'Rented, landlord not stated',
  oth_ten_type: 'Other tenure',
  ten_type_ns: 'Not stated',
};

const HOUSEHOLD: Readonly<Record<string, string>> = {
  fhs_tot: 'Family households',
  lone_p_h: 'Households of one person',
  group_h: 'Group households',
};

const EDUCATION: Readonly<Record<string, string>> = {
  pgrad_deg: 'Postgraduate degree',
  graddip_and_gradcert: 'Graduate diploma or certificate',
  bachdeg: 'Bachelor degree',
  advdip_and_dip: 'Advanced diploma or diploma',
  cert_lev_tot: 'Certificate',
  cert_iii_iv: 'Certificate III or IV',
  cert_i_ii: 'Certificate I or II',
  cert_levl_nfd: 'Certificate, level not stated',
  lev_edu_ides: 'Inadequately described',
  lev_edu_ns: 'Not stated',
};

const INDUSTRY: Readonly<Record<string, string>> = {
  ag_for_fshg: 'Agriculture, forestry and fishing',
  mining: 'Mining',
  manufact: 'Manufacturing',
  el_gas_wt_waste: 'Electricity, gas, water and waste services',
  constru: 'Construction',
  whlesaletde: 'Wholesale trade',
  rettde: 'Retail trade',
  accom_food: 'Accommodation and food services',
  trans_post_wrehsg: 'Transport, postal and warehousing',
  info_media_teleco: 'Information media and telecommunications',
  fin_insur: 'Financial and insurance services',
  rtnhir_rest: 'Rental, hiring and real estate services',
  pro_scien_tec: 'Professional, scientific and technical services',
  admin_supp: 'Administrative and support services',
  public_admin_sfty: 'Public administration and safety',
  educ_trng: 'Education and training',
  hlthcare_socas: 'Health care and social assistance',
  art_recn: 'Arts and recreation services',
  oth_scs: 'Other services',
  id_ns: 'Not stated',
};

const OCCUPATION: Readonly<Record<string, string>> = {
  managers: 'Managers',
  professionals: 'Professionals',
  technictrades_w: 'Technicians and trades workers',
  communpersnlsvc_w: 'Community and personal service workers',
  clericaladminis_w: 'Clerical and administrative workers',
  sales_w: 'Sales workers',
  mach_oper_drivers: 'Machinery operators and drivers',
  labourers: 'Labourers',
  occu_id_ns: 'Not stated',
};

/** Tables by subject. Columns by sex, and columns that cross the subject with age, are left out: only totals of persons are counted. */
const SUBJECTS: readonly SubjectColumns[] = [
  { subject: 'age', table: 'G01', pattern: /^Age_(\d+_\d+|85ov)(?:_yr)?_P$/i, labels: {} },
  { subject: 'ancestry', table: 'G08', pattern: /^(.+)_Tot_resp$/i, labels: ANCESTRY },
  { subject: 'birthplace', table: 'G09', pattern: /^P_(.+)_Tot$/i, labels: BIRTHPLACE },
  { subject: 'personal_income', table: 'G17', pattern: /^P_(.+)_Tot$/i, labels: MONEY },
  {
    subject: 'household_income',
    table: 'G33',
    pattern:
      /^(?:HI_(?=\d))?(\d.*|Negative_Nil_income|Partial_income_stated|All_incomes_(?:not_stated|ns)|Tot)_Tot$/i,
    labels: MONEY,
  },
  {
    subject: 'mortgage',
    table: 'G38',
    pattern: /^(?:M_(?=\d))?(\d.*|Mort_Rpmnt_ns|Tot)_Tot(?:al)?$/i,
    labels: MONEY,
  },
  { subject: 'rent', table: 'G40', pattern: /^(?:R_(?=\d))?(\d.*|Rent_ns|Tot)_Tot$/i, labels: MONEY },
  { subject: 'tenure', table: 'G37', pattern: /^(.+)_Total$/i, labels: TENURE },
  {
    subject: 'household',
    table: 'G42',
    pattern: /^Tot_(FHs_Tot|Lone_P_H|Group_H|Tot)$/i,
    labels: HOUSEHOLD,
  },
  { subject: 'education', table: 'G49', pattern: /^P_(.+)_Total$/i, labels: EDUCATION },
  { subject: 'industry', table: 'G54', pattern: /^P_(.+)_Tot$/i, labels: INDUSTRY },
  { subject: 'occupation', table: 'G60', pattern: /^P_Tot_(.+)$/i, labels: OCCUPATION },
];

/** Columns of G60 that are ages or the total; they match the pattern of the occupations. */
const NO_OCCUPATION = /^\d/;

export const COUNT_TABLES: readonly string[] = SUBJECTS.map(({ table }) => table);

/** Returns the subject of a table; null: none. */
export const censusSubject = (table: string): CensusSubject | null =>
  SUBJECTS.find((each) => each.table === table)?.subject ?? null;

/** Returns what a column counts; null: it does not count the subject of its table. */
export function countColumn(table: string, column: string): CountColumn | null {
  for (const { subject, table: own, pattern, labels } of SUBJECTS) {
    const captured = own === table ? pattern.exec(column)?.[1] : undefined;
    if (captured === undefined) continue;
    if (subject === 'occupation' && NO_OCCUPATION.test(captured)) return null;
    const kind = TOTAL.test(captured)
      ? 'total'
      : NOT_STATED.test(captured) && !RENTED.test(captured)
        ? 'not_stated'
        : SUBTOTAL.test(captured)
          ? 'subtotal'
          : 'part';
    const category = kind === 'total' ? 'Total' : categoryOf(captured, subject, labels);
    return { subject, category, census_name: column, kind };
  }
  return null;
}

function categoryOf(
  captured: string,
  subject: CensusSubject,
  labels: Readonly<Record<string, string>>,
): string {
  const label = labels[captured.toLowerCase()];
  if (label !== undefined) return label;
  const range = /^(\d+)_(\d+|more|over)$/i.exec(captured);
  if (subject === 'age') return range === null ? '85 and over' : `${range[1]} to ${range[2]}`;
  if (range === null) return captured.replaceAll('_', ' ');
  const money = (digits: string): string => `$${Number(digits).toLocaleString('en-AU')}`;
  return /^\d/.test(range[2]!) ? `${money(range[1]!)} to ${money(range[2]!)}` : `${money(range[1]!)} or more`;
}
