/** A lot of a plan as named in a text. */
export interface LegalLot {
  lot: string;
  /** Null: not stated; only New South Wales has sections. */
  section: string | null;
  /** Letters and digits without a space: `PS908944`, `DP1061794`. */
  plan: string;
}

const PLAN = '(?:PS|LP|TP|PC|CP|CS|RP|SP|DP|PP|BUP|GTP|SR|CG|FP)';
/** `1\PS908944`, `5//DP1234`, `5/3/DP1234`, `2/RP20457`. */
const SHORT = new RegExp(
  String.raw`\b(\d+[A-Z]?)\s?(?:\\|/)\s?(?:(\w*)\s?/\s?)?(${PLAN})\s?(\d{2,8}[A-Z]?)\b`,
);
/** `LOT 5 ON PS 123456`, `LOT 5, DP1234`, `LOT 5 SEC 3 DP 1234`. */
const LONG = new RegExp(
  String.raw`\bLOT\s?(\d+[A-Z]?)[\s,]+(?:SEC(?:TION)?\s?(\w+)[\s,]+)?(?:ON\s+)?(?:PLAN\s+)?(${PLAN})\s?(\d{2,8}[A-Z]?)\b`,
);
const MAYBE = new RegExp(`${PLAN}\\s?\\d`);

/** Extracts the first lot of a plan from an upper-case text; the lot number of `LOT 5 ON PS…` stays in the text. */
export function takeLegalLot(text: string): { rest: string; legalLot: LegalLot | null } {
  if (!MAYBE.test(text)) return { rest: text, legalLot: null };
  const match = LONG.exec(text) ?? SHORT.exec(text);
  if (match === null) return { rest: text, legalLot: null };
  const [whole, lot, section, letters, digits] = match;
  const lotText = whole.startsWith('LOT') ? ` LOT ${lot} , ` : ' , ';
  const remaining = text.slice(0, match.index) + lotText + text.slice(match.index + whole.length);
  return { rest: remaining, legalLot: { lot: lot!, section: section || null, plan: `${letters}${digits}` } };
}

/** Returns the identifier in the format of a state's address file; normaliseLotPlan makes it comparable. */
export function legalLotText(state: string, { lot, section, plan }: LegalLot): string {
  if (state === 'NSW') return `${lot}/${section ?? ''}/${plan}`;
  if (state === 'QLD') return `${lot}/${plan}`;
  return `${lot}\\${plan}`;
}
