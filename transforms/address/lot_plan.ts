const withoutSpaces = (text: string): string => text.replace(/\s+/g, '');
const singleSpaces = (text: string): string => text.trim().replace(/\s+/g, ' ');

const PLAN = /^[A-Z]{1,4}\d{2,}$/;

/** Of two parts the first is a plan and the other is none: `RP602276/3`, which the address file writes `3/RP602276`. */
const isPlanFirst = (first: string, second: string): boolean => PLAN.test(first) && !PLAN.test(second);

/** Queensland: G-NAF writes `2/RP20457`, the state's cadastre `2RP20457`, councils also `RP20457/2`. */
function qld(text: string): string {
  const fields = withoutSpaces(text).split('/');
  const [first, second] = fields;
  if (fields.length === 2 && second && isPlanFirst(first!, second)) return second + first;
  return fields.join('');
}

/**
 * NSW: `lot/section/plan`, the section mostly empty. `381/DP1061794` is read as having no section and a bare plan number
 * is a deposited plan. All lots of a strata plan share one ground polygon, which the cadastre calls `//SP65328`, so the lot
 * of an SP plan is left out on both sides.
 */
function nsw(text: string): string | null {
  const fields = text.replace(/\s+/g, '').split('/');
  if (fields.length < 2 || fields.length > 3) return null;
  const [lot, section, plan] = fields.length === 3 ? fields : [fields[0], '', fields[1]];
  if (fields.length === 2 && isPlanFirst(lot!, plan!)) return nsw(`${plan}//${lot}`);
  if (!plan) return null;
  const fullPlan = /^\d+$/.test(plan) ? `DP${plan}` : plan;
  return fullPlan.startsWith('SP') ? `//${fullPlan}` : `${lot}/${section}/${fullPlan}`;
}

/** One rule per state; the text arrives in upper case. A state that is not listed gives null. */
const RULES: Readonly<Record<string, (text: string) => string | null>> = {
  NSW: nsw,
  // Identical on both sides, with its backslash and, on Crown land, its tilde: `1\PS908944`, `1~A\PP1234`, `PC366537`.
  VIC: withoutSpaces,
  QLD: qld,
  // The cadastre pads with a run of spaces: `C21367   F1`.
  SA: singleSpaces,
  // Volume and folio, `123456/1`.
  TAS: withoutSpaces,
  WA: singleSpaces,
  NT: singleSpaces,
  OT: singleSpaces,
};

/** How a state's legal identifiers are written, with one example for both sides. */
export interface LegalIdForm {
  readonly state: string;
  /** As G-NAF's LEGAL_PARCEL_ID has it. */
  readonly gnaf: string;
  /** The same parcel as cadastres write it; none: the state's cadastre has no such column. */
  readonly cadastre: readonly string[];
  readonly rule: string;
  /** Seen in releases of both; else only the rule for spaces is applied. */
  readonly isSeen: boolean;
}

/** What is known of G-NAF's legal identifiers by state; docs/field_maps.md has it as a table. */
export const LEGAL_ID_FORMS: readonly LegalIdForm[] = [
  {
    state: 'NSW',
    gnaf: '381//DP1061794',
    cadastre: ['381//DP1061794', '381/DP1061794', 'DP1061794/381', '381//1061794'],
    rule: 'lot/section/plan, the section mostly empty; a bare plan number is DP; the lots of an SP plan are its one ground polygon, //SP65328',
    isSeen: true,
  },
  {
    state: 'VIC',
    gnaf: '1008\\PS908944',
    cadastre: ['1008\\PS908944', '1008 \\ PS908944'],
    rule: 'lot\\plan with its backslash, Crown land with ~; a plan alone where it has no lots',
    isSeen: true,
  },
  {
    state: 'QLD',
    gnaf: '3/RP602276',
    cadastre: ['3RP602276', '3/RP602276', 'RP602276/3'],
    rule: 'lot and plan without what stands between them, in either order where a / does',
    isSeen: true,
  },
  {
    state: 'SA',
    gnaf: 'D12345 A1',
    cadastre: ['D12345 A1', 'D12345   A1'],
    rule: 'plan and parcel, runs of spaces as one',
    isSeen: false,
  },
  {
    state: 'WA',
    gnaf: 'P012345 12',
    cadastre: ['P012345 12', 'P012345   12'],
    rule: 'plan and lot, runs of spaces as one; the free cadastre has no such column',
    isSeen: false,
  },
  {
    state: 'TAS',
    gnaf: '123456/1',
    cadastre: ['123456/1', '123456 / 1'],
    rule: 'volume/folio',
    isSeen: false,
  },
  {
    state: 'NT',
    gnaf: '5/S1234',
    cadastre: ['5/S1234'],
    rule: 'lot/survey plan, runs of spaces as one',
    isSeen: false,
  },
  {
    state: 'ACT',
    gnaf: 'CANB/GRIF/25/14',
    cadastre: [],
    rule: 'by position: G-NAF abbreviates district and division, the cadastre numbers them',
    isSeen: true,
  },
];

/**
 * Key that joins G-NAF's LEGAL_PARCEL_ID to the parcel identifier of the cadastre of the same state.
 * Null: no identifier, an unreadable one, or the ACT, whose G-NAF abbreviates the district (`CANB/GRIF/25/14`) while its
 * cadastre numbers it, so that only the position can match. The rules of SA, TAS, WA and NT only tidy spaces: the published
 * forms are not verified. Applying it to its own result changes nothing.
 */
export function normaliseLotPlan(state: string, text: string | null): string | null {
  if (text === null) return null;
  const rule = RULES[state];
  if (rule === undefined) return null;
  return rule(text.toUpperCase()) || null;
}
