/**
 * NSW: `lot/section/plan`, the section mostly empty. `381/DP1061794` is read as having no section and a bare plan number
 * is a deposited plan. All lots of a strata plan share one ground polygon, which the cadastre calls `//SP65328`, so the lot
 * of an SP plan is left out on both sides.
 */
function nsw(text: string): string | null {
  const fields = text.replace(/\s+/g, '').split('/');
  if (fields.length < 2 || fields.length > 3) return null;
  const [lot, section, plan] = fields.length === 3 ? fields : [fields[0], '', fields[1]];
  if (!plan) return null;
  const fullPlan = /^\d+$/.test(plan) ? `DP${plan}` : plan;
  return fullPlan.startsWith('SP') ? `//${fullPlan}` : `${lot}/${section}/${fullPlan}`;
}

const withoutSpaces = (text: string): string => text.replace(/\s+/g, '');
const singleSpaces = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** One rule per state; the text arrives in upper case. A state that is not listed gives null. */
const RULES: Readonly<Record<string, (text: string) => string | null>> = {
  NSW: nsw,
  // Identical on both sides, with its backslash and, on Crown land, its tilde: `1\PS908944`, `1~A\PP1234`, `PC366537`.
  VIC: withoutSpaces,
  // G-NAF writes `2/RP20457`, the cadastre `2RP20457`.
  QLD: (text) => withoutSpaces(text).replaceAll('/', ''),
  // PARCEL_ID pads with a run of spaces, `C21367   F1`; DCDBID writes none, `C21367F1`.
  SA: (text) => singleSpaces(text).replace(/^([A-Z]+\d+)([A-Z]+\w*)$/, '$1 $2'),
  // Volume and folio, `123456/1`.
  TAS: withoutSpaces,
  WA: singleSpaces,
  NT: singleSpaces,
  OT: singleSpaces,
};

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
