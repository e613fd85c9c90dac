/**
 * Rule that drops a row under a name. Values are compared by `comparable`; `*` in a value matches any text. The first field of `fields`
 * that the file has decides; if it has none, the rule drops nothing.
 */
export interface DropRule {
  /** Name of the drop in the row account, for example `road`. */
  readonly name: string;
  readonly fields: readonly string[];
  /** Rows whose value is none of these are dropped; a blank value is kept. */
  readonly keep?: readonly string[];
  /** Rows whose value is one of these are dropped. */
  readonly drop?: readonly string[];
  /** Rows whose value this regular expression matches are dropped; compared without case. */
  readonly match?: string;
  /** Rows whose value is a past end date are dropped: see hasEnded. */
  readonly ended?: true;
  /** Rows whose value is blank are dropped. */
  readonly blank?: true;
}

/** A pattern and its replacement; `$1` or `$<name>` insert its groups. Compared without case. */
export interface RewriteRule {
  readonly match: string;
  readonly write: string;
}

/** The lot-on-plan text: its parts joined by `separator`. Each part is the first of its columns that is not blank in the row. */
export interface LotPlanMap {
  readonly parts: readonly (readonly string[])[];
  readonly separator: string;
  /** The first pattern that matches the joined text rewrites it; a text that none matches stays unchanged. */
  readonly patterns?: readonly RewriteRule[];
}

/**
 * Columns of a state's cadastre for each value of a parcel record. Field names are aliases in order of preference, compared without case;
 * an alias longer than ten characters also matches its first ten, which is all a shapefile keeps.
 */
export interface CadastreFieldMap {
  /** Identifier: the first of these columns that is not blank in the row. */
  readonly parcel_id: readonly string[];
  /**
   * Fallback name of parcels if a file lacks those columns or a row has them blank: the lot on plan, else the row's number in the file.
   * False: such a file is an error, and such a row a reject.
   */
  readonly unnamed: boolean;
  /** Columns and format of the lot on plan; null: the source has none. */
  readonly lot_plan: LotPlanMap | null;
  /** The same for a row or file in which part of it is blank; null: there is no other format. */
  readonly lot_plan_else: LotPlanMap | null;
  /** True: the rows of one lot on plan are one parcel, with the identifier of the first. */
  readonly unite_lots: boolean;
  /** In order: the first rule that matches names the drop. */
  readonly drops: readonly DropRule[];
}

/** Builds a field map; by default its rows are separate parcels. */
const cadastreMap = (
  ownFields: Partial<CadastreFieldMap> & Pick<CadastreFieldMap, 'parcel_id' | 'lot_plan' | 'drops'>,
): CadastreFieldMap => ({ unnamed: false, lot_plan_else: null, unite_lots: false, ...ownFields });

const wholeLotPlan = (...aliases: string[]): CadastreFieldMap['lot_plan'] => ({
  parts: [aliases],
  separator: '',
});

/** Vicmap Property, PARCEL_VIEW and its shapefile variants. */
const vic = cadastreMap({
  parcel_id: ['parcel_pfi', 'pfi'],
  lot_plan: wholeLotPlan('parcel_spi', 'spi'),
  drops: [
    { name: 'proposed', fields: ['parcel_status', 'status'], keep: ['A'] },
    { name: 'proposed', fields: ['parv_status'], keep: ['A'] },
    { name: 'road', fields: ['parcel_road'], drop: ['Y', 'R', 'T', 'true', '1'] },
    { name: 'stacked_strata', fields: ['parv_z_level', 'z_level'], keep: ['G', 'S'] },
  ],
});

/**
 * NSW Land Parcel Property Theme, Lot, coded and described. A lot in force ends in the year 3000 (`32503680000000`, `1/01/3000`); the
 * ground is level `0` or `Ground Level`. Cancelled titles (7, 8) and dummies (9) are not lots. Part lots repeat the lot. Roads have their
 * own layers.
 */
const nsw = cadastreMap({
  parcel_id: ['cadid', 'itslotid'],
  lot_plan: wholeLotPlan('lotidstring'),
  unite_lots: true,
  drops: [
    { name: 'retired', fields: ['enddate'], ended: true },
    {
      name: 'retired',
      fields: ['itstitlestatus', 'titlestatus'],
      drop: ['7', '8', '9', 'cancelled*', 'dummy*'],
    },
    { name: 'road', fields: ['classsubtype'], drop: ['road', 'road corridor'] },
    { name: 'stacked_strata', fields: ['stratumlevel'], keep: ['0', 'ground*', 'none', 'not applicable'] },
  ],
});

/**
 * Queensland cadastral data (DCDB): the current long format, the older coded format, and DCDB Lite, which has lot and plan alone. A lot may
 * be published in many rows, one for each piece.
 */
const qld = cadastreMap({
  parcel_id: ['lotplan'],
  unnamed: true,
  lot_plan: wholeLotPlan('lotplan'),
  lot_plan_else: { parts: [['lot'], ['plan']], separator: '' },
  unite_lots: true,
  drops: [
    { name: 'easement', fields: ['cover_typ'], drop: ['*easement*', 'E'] },
    { name: 'easement', fields: ['parcel_typ'], drop: ['*easement*', 'E'] },
    { name: 'covenant', fields: ['tenure'], drop: ['covenant*', 'CV'] },
    { name: 'stacked_strata', fields: ['cover_typ'], drop: ['strata*', 'volumetric*', 'S', 'V'] },
    { name: 'covers_others', fields: ['parcel_typ'], drop: ['profit*'] },
    { name: 'road', fields: ['parcel_typ'], drop: ['road*', 'R', 'transport route*'] },
    { name: 'water', fields: ['parcel_typ'], drop: ['watercourse*', 'water*', 'W'] },
    // 79 and 85 are esplanades, 81 to 83 roads and intersections, 80 and 88 watercourses and canals, 92 is the adjoining state
    { name: 'road', fields: ['par_ind'], drop: ['79', '81', '82', '83', '85'] },
    { name: 'water', fields: ['par_ind'], drop: ['80', '88'] },
    { name: 'other_region', fields: ['par_ind'], drop: ['92'] },
    { name: 'no_lot_plan', fields: ['lotplan', 'lot'], blank: true },
  ],
});

/**
 * South Australian land parcels (LMS 832 and 833), or an extract with PARCEL_ID alone. PARCEL_ID is plan and parcel padded with inner
 * spaces, and it repeats; DCDBID is cleaner. A plan without a parcel outlines a community or strata plan over its own lots.
 */
const sa = cadastreMap({
  parcel_id: ['dcdbid', 'parcel_id'],
  // DCDBID has no blank between plan and parcel
  lot_plan: {
    parts: [['dcdbid', 'parcel_id']],
    separator: '',
    patterns: [{ match: '^([A-Z]+\\d+)\\s*([A-Z]+\\w*)$', write: '$1 $2' }],
  },
  unite_lots: true,
  drops: [
    { name: 'road', fields: ['parcel_subtype', 'parcel_sub'], drop: ['AR', '*(road)*'] },
    { name: 'road', fields: ['parcel_type'], drop: ['road*'] },
    { name: 'covers_others', fields: ['parcel'], blank: true },
    { name: 'covers_others', fields: ['dcdbid', 'parcel_id'], match: '^[A-Z]+\\d+$' },
    { name: 'stacked_strata', fields: ['floor_level'], keep: ['0', '0.0', 'G', 'GROUND'] },
  ],
});

/** Landgate LGATE-217 and similar products; the free LGATE-001 has no attributes except an object number. */
const wa = cadastreMap({
  parcel_id: ['land_id', 'objectid'],
  lot_plan: wholeLotPlan('lot_plan', 'lotplan', 'pin_text'),
  drops: [
    { name: 'road', fields: ['parcel_type', 'parcel_typ', 'land_type'], drop: ['road*'] },
    { name: 'stacked_strata', fields: ['strata_level'], keep: ['0', 'G', 'ground'] },
  ],
});

/** LIST Cadastral Parcels. A casement is a road parcel; Crown land has neither volume nor folio. */
const tas = cadastreMap({
  parcel_id: ['cid'],
  unnamed: true,
  lot_plan: { parts: [['volume'], ['folio']], separator: '/' },
  drops: [
    { name: 'road', fields: ['cad_type1'], drop: ['casement*'] },
    { name: 'road', fields: ['cad_type2'], drop: ['casement*'] },
    { name: 'stacked_strata', fields: ['strata_lev', 'strata_level'], keep: ['Not Applicable'] },
  ],
});

/** ACTGOV_BLOCKS. No lot on plan: the table of G-NAF's abbreviations of district and division is not published. */
const act = cadastreMap({
  parcel_id: ['block_key', 'id'],
  lot_plan: null,
  drops: [
    { name: 'retired', fields: ['current_lifecycle_stage', 'lifecycle'], drop: ['RETIRED'] },
    {
      name: 'proposed',
      fields: ['current_lifecycle_stage', 'lifecycle'],
      keep: ['APPROVED', 'REGISTERED', 'OCCUPIED'],
    },
  ],
});

/** NTLIS cadastre. */
const nt = cadastreMap({
  parcel_id: ['laiskey'],
  lot_plan: {
    parts: [
      ['lot', 'parcel'],
      ['survey_plan', 'plan'],
    ],
    separator: '/',
  },
  drops: [
    { name: 'road', fields: ['parcel_type', 'parcel_typ'], drop: ['road*'] },
    { name: 'proposed', fields: ['status'], drop: ['proposed'] },
  ],
});

/** Field maps by name: the state in lower case. */
export const CADASTRE_FIELD_MAPS: Readonly<Record<string, CadastreFieldMap>> = {
  vic,
  nsw,
  qld,
  sa,
  wa,
  tas,
  act,
  nt,
};
