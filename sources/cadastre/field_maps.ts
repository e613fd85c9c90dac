/**
 * A rule that leaves a row out under a name. Patterns are compared without case; one that ends in `*` is a prefix.
 * The first field of `fields` that the file has decides; a file with none of them has nothing dropped by the rule.
 */
export interface DropRule {
  /** Name of the drop in the account, for example `road`. */
  readonly name: string;
  readonly fields: readonly string[];
  /** Rows whose value is none of these are dropped; a blank value is kept. */
  readonly keep?: readonly string[];
  /** Rows whose value is one of these are dropped. */
  readonly drop?: readonly string[];
  /** Rows whose value is blank are dropped. */
  readonly blank?: true;
}

/** A pattern of a text and what is written instead, `$1` or `$<name>` standing for its groups. Compared without case. */
export interface Rewrite {
  readonly match: string;
  readonly write: string;
}

/** The lot-on-plan text: its parts, each with its aliases, joined by `separator`. */
export interface LotPlanMap {
  readonly parts: readonly (readonly string[])[];
  readonly separator: string;
  /** The first one that matches the joined text writes it anew; a text that none matches stays as it is. */
  readonly patterns?: readonly Rewrite[];
}

/**
 * Where a state's cadastre keeps what a parcel record needs. Field names are aliases in order of preference, compared
 * without case; one longer than ten characters also matches its first ten, which is all a shapefile keeps.
 */
export interface CadastreFieldMap {
  readonly parcel_id: readonly string[];
  /** Where the lot on plan stands and how it is written; null: the source has none. */
  readonly lot_plan: LotPlanMap | null;
  /** True: the rows of one lot on plan are one parcel, with the identifier of the first. */
  readonly unite_lots: boolean;
  /** In order: the first rule that matches names the drop. */
  readonly drops: readonly DropRule[];
}

/** A field map whose rows are parcels, each by itself. */
const cadastreMap = (
  own: Partial<CadastreFieldMap> & Pick<CadastreFieldMap, 'parcel_id' | 'lot_plan' | 'drops'>,
): CadastreFieldMap => ({ unite_lots: false, ...own });

const whole = (...aliases: string[]): CadastreFieldMap['lot_plan'] => ({ parts: [aliases], separator: '' });

/** Vicmap Property, PARCEL_VIEW and its shapefile variants. */
const vic = cadastreMap({
  parcel_id: ['parcel_pfi', 'pfi'],
  lot_plan: whole('parcel_spi', 'spi'),
  drops: [
    { name: 'proposed', fields: ['parcel_status', 'status'], keep: ['A'] },
    { name: 'proposed', fields: ['parv_status'], keep: ['A'] },
    { name: 'road', fields: ['parcel_road'], drop: ['Y', 'R', 'T', 'true', '1'] },
    { name: 'stacked_strata', fields: ['parv_z_level', 'z_level'], keep: ['G', 'S'] },
  ],
});

/**
 * NSW Land Parcel Property Theme, Lot. The meaning of the stratum level is taken from its name: 0 is the ground. A lot in force ends in the
 * year 3000, which the service writes as milliseconds.
 */
const nsw = cadastreMap({
  parcel_id: ['cadid', 'itslotid'],
  lot_plan: whole('lotidstring'),
  drops: [
    { name: 'retired', fields: ['enddate'], keep: ['3000*', '32503*'] },
    { name: 'road', fields: ['classsubtype'], drop: ['road', 'road corridor'] },
    { name: 'stacked_strata', fields: ['stratumlevel'], keep: ['0', 'ground', 'none'] },
  ],
});

/** Queensland cadastral data (DCDB). A lot may be published in many rows, one for each piece of its ground. */
const qld = cadastreMap({
  parcel_id: ['lotplan'],
  lot_plan: whole('lotplan'),
  unite_lots: true,
  drops: [
    { name: 'easement', fields: ['cover_typ'], drop: ['easement*'] },
    { name: 'stacked_strata', fields: ['cover_typ'], drop: ['strata*', 'volumetric*'] },
    { name: 'road', fields: ['parcel_typ'], drop: ['road*'] },
    { name: 'water', fields: ['parcel_typ'], drop: ['watercourse*', 'water*'] },
    { name: 'no_lot_plan', fields: ['lotplan'], blank: true },
  ],
});

/** South Australian land parcels; `parcel_id` is plan and parcel, padded with inner spaces. */
const sa = cadastreMap({
  parcel_id: ['parcel_id'],
  lot_plan: whole('parcel_id'),
  drops: [
    { name: 'road', fields: ['parcel_type', 'parcel_typ'], drop: ['road*'] },
    { name: 'stacked_strata', fields: ['floor_level'], keep: ['0', 'G', 'GROUND'] },
  ],
});

/** Landgate LGATE-217 and its kin; the free LGATE-001 has no attributes but an object number. */
const wa = cadastreMap({
  parcel_id: ['land_id', 'objectid'],
  lot_plan: whole('lot_plan', 'lotplan', 'pin_text'),
  drops: [
    { name: 'road', fields: ['parcel_type', 'parcel_typ', 'land_type'], drop: ['road*'] },
    { name: 'stacked_strata', fields: ['strata_level'], keep: ['0', 'G', 'ground'] },
  ],
});

/** LIST Cadastral Parcels. A casement is a road parcel. */
const tas = cadastreMap({
  parcel_id: ['cid'],
  lot_plan: { parts: [['volume'], ['folio']], separator: '/' },
  drops: [
    { name: 'road', fields: ['cad_type1'], drop: ['casement*'] },
    { name: 'road', fields: ['cad_type2'], drop: ['casement*'] },
    { name: 'stacked_strata', fields: ['strata_lev', 'strata_level'], keep: ['Not Applicable'] },
  ],
});

/** ACTGOV_BLOCKS. G-NAF abbreviates district and division by a table that is not published with it: no lot on plan. */
const act = cadastreMap({
  parcel_id: ['block_key'],
  lot_plan: null,
  drops: [
    { name: 'retired', fields: ['current_lifecycle_stage', 'lifecycle'], drop: ['RETIRED'] },
    { name: 'proposed', fields: ['current_lifecycle_stage', 'lifecycle'], keep: ['APPROVED', 'REGISTERED'] },
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

/**
 * Field maps by name, which is the state in lower case. The Victorian, Tasmanian and ACT ones follow the publishers'
 * field lists; in the others some drop values are assumed and must be checked against a delivery.
 */
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
