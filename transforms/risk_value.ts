/** A whole number with commas in thousands. */
const grouped = (whole: number): string =>
  whole < 1000
    ? String(whole)
    : `${grouped(Math.floor(whole / 1000))},${String(whole % 1000).padStart(3, '0')}`;

/** Metres as people read them: whole, with a comma in thousands. */
const metres = (distance: number): string => `${grouped(Math.round(distance))} m`;

/** The finding of a hazard layer in words, for the payload's `value`. */
export function riskValue(on_property: boolean, distance_m: number, name: string): string {
  return on_property ? `On property: ${name}` : `${metres(distance_m)} away: ${name}`;
}
