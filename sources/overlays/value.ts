/** The value of an overlay as text with its unit, or why there is none. */
export type OverlayValue = { value: string } | { problem: string; code: 'bad_value' | 'missing_value' };

const MISSING: OverlayValue = { code: 'missing_value', problem: 'its value is blank' };
const bad = (problem: string): OverlayValue => ({ code: 'bad_value', problem });

/** Reads a plain decimal number, perhaps with thousands separators; null: blank, NaN: anything else. */
export function plainNumber(text: string | null): number | null {
  const plain = text?.trim() ?? '';
  if (plain === '') return null;
  const digits = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(digits) ? Number(digits) : Number.NaN;
}

/** Formats a number with a maximum of decimals, without trailing zeros, never with an exponent: `8.5`, `20000`. */
export function decimalText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}

const quoted = (text: string | null): string => (text === null ? 'blank' : JSON.stringify(text.slice(0, 40)));

/** Maximum plausible figures: beyond them a column was misread. The highest peak, a floor space ratio, the largest shire in m2. */
const MAX_HEIGHT_M = 2300;
const MAX_RATIO = 100;
const MAX_LOT_SQM = 1e12;

function numberIn(text: string | null, min: number, max: number): number | string | null {
  const number = plainNumber(text);
  if (number === null) return null;
  return number >= min && number <= max ? number : `${quoted(text)} is no number from ${min} to ${max}`;
}

const METRES = new Set(['m', 'metre', 'metres', 'meter', 'meters']);
/** Units of a reduced level: metres above the height datum, not above the ground. */
const ELEVATION = new Set(['m (rl)', 'm(rl)', 'm rl', 'rl', 'rl m', 'm ahd', 'm (ahd)', 'ahd', 'm rl (ahd)']);

/**
 * Formats a maximum height: `8.5 m`. A reduced level is an elevation above the height datum, and the value states that: `45.2 m RL
 * (elevation above datum)`. Any other unit is `bad_value`; it is never guessed.
 */
export function heightValue(height: string | null, unit: string | null): OverlayValue {
  const metres = numberIn(height, -500, MAX_HEIGHT_M);
  if (metres === null) return MISSING;
  if (typeof metres === 'string') return bad(`the height ${metres}`);
  const kind = unit?.trim().replace(/\s+/g, ' ').toLowerCase() ?? '';
  if (ELEVATION.has(kind)) return { value: `${decimalText(metres, 2)} m RL (elevation above datum)` };
  if (!METRES.has(kind)) return bad(`the unit of the height is ${quoted(unit)}, m or m (RL) is wanted`);
  if (metres < 0) return bad(`the height ${quoted(height)} is negative`);
  return { value: `${decimalText(metres, 2)} m` };
}

/** Formats a floor space ratio, `0.5:1`, from a number or from text that already is a ratio to one. */
export function ratioValue(text: string | null): OverlayValue {
  const ratio = numberIn(text?.replace(/\s*:\s*1\s*$/, '') ?? null, 0, MAX_RATIO);
  if (ratio === null) return MISSING;
  return typeof ratio === 'string'
    ? bad(`the floor space ratio ${ratio}`)
    : { value: `${decimalText(ratio, 3)}:1` };
}

const SQUARE_METRES = new Set(['m2', 'm²', 'm^2', 'sqm', 'sq m', 'square metres']);
const HECTARES = new Set(['ha', 'hectare', 'hectares']);

/** Formats a minimum lot size in square metres: `450 m2`; hectares are converted, `2 ha` is `20000 m2`. */
export function lotSizeValue(size: string | null, unit: string | null): OverlayValue {
  const kind = unit?.trim().toLowerCase() ?? '';
  const factor = SQUARE_METRES.has(kind) ? 1 : HECTARES.has(kind) ? 10_000 : null;
  const amount = numberIn(size, 0, MAX_LOT_SQM / (factor ?? 1));
  if (amount === null) return MISSING;
  if (typeof amount === 'string') return bad(`the lot size ${amount}`);
  if (factor === null) return bad(`the unit of the lot size is ${quoted(unit)}, m2 or ha is wanted`);
  return { value: `${decimalText(amount * factor, 2)} m2` };
}

const parts = (texts: readonly (string | null)[]): string => texts.filter((text) => text !== null).join(' ');

/** Formats a heritage item: `Item - General: I123 Cottage`; blank parts are left out. */
export function heritageValue(kind: string | null, id: string | null, name: string | null): OverlayValue {
  const item = parts([id, name]);
  const value = kind !== null && item !== '' ? `${kind}: ${item}` : (kind ?? item);
  return value === '' ? MISSING : { value };
}

/**
 * Formats code and description: `DDO5 Design and Development Overlay - Schedule 5`; a code repeated at the end of the description is
 * removed.
 */
export function codeAndNameValue(code: string | null, name: string | null): OverlayValue {
  const again = code === null ? '' : ` (${code.toLowerCase()})`;
  const plain =
    name !== null && again !== '' && name.toLowerCase().endsWith(again) ? name.slice(0, -again.length) : name;
  const value = parts([code, plain]);
  return value === '' ? MISSING : { value };
}

/** Returns words as published; a number is followed by `unit` if the rule names one. */
export function textValue(text: string | null, unit: string | null): OverlayValue {
  if (text === null) return MISSING;
  const number = unit === null ? null : plainNumber(text);
  return { value: number === null || Number.isNaN(number) ? text : `${decimalText(number, 3)} ${unit}` };
}
