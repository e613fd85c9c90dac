/** Metres as people read them: whole, with a comma in thousands. */
const metres = (distance: number): string =>
  `${String(Math.round(distance)).replace(/\B(?=(\d{3})+$)/g, ',')} m`;

/** The finding of a hazard layer in words, for the payload's `value`. */
export function riskValue(on_property: boolean, distance_m: number, name: string): string {
  return on_property ? `On property: ${name}` : `${metres(distance_m)} away: ${name}`;
}
