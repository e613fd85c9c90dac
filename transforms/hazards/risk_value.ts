import type { HazardShape } from '../../schema/records/hazard.ts';

/** Formats a whole number with thousands separators. */
const grouped = (value: number): string =>
  value < 1000
    ? String(value)
    : `${grouped(Math.floor(value / 1000))},${String(value % 1000).padStart(3, '0')}`;

export interface RiskFinding {
  layer: string;
  /** Kind of the named feature. */
  shape: HazardShape;
  on_property: boolean;
  /** Whole metres as reported; at least 1 off the property. */
  distance_m: number;
  /** Share of the parcel that the hazard covers, 0 to 1; 0: unknown, or none. */
  share: number;
  name: string;
}

/** Minimum share of a fully covered parcel; the rest is digitising error. */
const WHOLE = 0.995;

/** Describes how much of a property is covered, rounded down to whole per cent. */
export function coveredText(share: number): string {
  if (share >= WHOLE) return 'covers the whole property';
  return share < 0.01 ? 'covers less than 1 % of the property' : `covers ${Math.floor(share * 100)} % of it`;
}

const away = (distance_m: number): string =>
  distance_m <= 1 ? 'within 1 m of its boundary' : `${grouped(distance_m)} m away`;

/** Describes the finding of a hazard layer, for the payload's `value`. */
export function riskValue({ layer, shape, on_property, distance_m, share, name }: RiskFinding): string {
  if (layer === 'public_housing')
    return on_property
      ? `The property is in an area where ${name}`
      : `An area where ${name} is ${away(distance_m)}`;
  if (!on_property) return `Not on the property; the nearest is ${away(distance_m)}: ${name}`;
  if (shape === 'line') return `Crosses the property: ${name}`;
  if (shape === 'point') return `Recorded at a place on the property: ${name}`;
  return share > 0 ? `On the property, ${coveredText(share)}: ${name}` : `On the property: ${name}`;
}
