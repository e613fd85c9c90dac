/** Square metres per unit, by its name in lower case without spaces and dots. A square is 100 square feet. */
const SQM: Readonly<Record<string, number>> = {
  '': 1,
  m: 1,
  m2: 1,
  'm²': 1,
  sqm: 1,
  sqmt: 1,
  sqmtrs: 1,
  sqmetres: 1,
  metres: 1,
  meter: 1,
  squaremeter: 1,
  squaremeters: 1,
  squaremetre: 1,
  squaremetres: 1,
  ha: 10_000,
  hectare: 10_000,
  hectares: 10_000,
  ac: 4046.8564224,
  acre: 4046.8564224,
  acres: 4046.8564224,
  square: 9.290304,
  squares: 9.290304,
  sq: 9.290304,
  sqs: 9.290304,
  sqft: 0.09290304,
  ft2: 0.09290304,
  squarefeet: 0.09290304,
};

/** Minimum and maximum square metres: above is a wrong unit, below is neither land nor floor. */
export const AREA_BOUNDS = {
  land: { least: 1, most: 50_000_000_000 },
  floor: { least: 5, most: 500_000 },
} as const;

const NOTHING = /^(|nan|n\/?a|null|none|-|unknown|tba)$/i;
const SIZE =
  /^(?:approx(?:imately|\.)?\s*|c(?:irca|\.)\s*|~\s*)?([\d, ]*\d(?:\.\d+)?|\.\d+)\s*([a-z²]+[a-z2². ]*)?(?:approx\.?)?$/i;

/** Returns the factor to square metres of a unit such as `squareMeter`, `acre`, `ha` or `m²`. Null: unknown. */
function areaUnit(unit: string): number | null {
  const name = unit
    .toLowerCase()
    .replace(/[\s._]/g, '')
    .replace(/approx$/, '');
  return Object.hasOwn(SQM, name) ? SQM[name]! : null;
}

/**
 * Reads a published size in square metres: `739 m²`, `2.5 acres`, `0.4ha`, or a bare number in `unit`. Null: nothing is stated
 * (`nan`, `0`, blank). NaN: unreadable, unknown unit, negative or outside AREA_BOUNDS.
 */
export function parseArea(text: string, kind: keyof typeof AREA_BOUNDS, unit = 'sqm'): number | null {
  const trimmed = text.trim();
  if (NOTHING.test(trimmed)) return null;
  const match = SIZE.exec(trimmed);
  if (match === null) return Number.NaN;
  const value = Number(match[1]!.replace(/[, ]/g, ''));
  if (value === 0) return null;
  const factor = areaUnit(match[2] ?? unit);
  const { least, most } = AREA_BOUNDS[kind];
  if (factor === null || !(value * factor >= least && value * factor <= most)) return Number.NaN;
  return Math.round(value * factor * 100) / 100;
}
