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

/** Names whose words are kept. */
const MOST_NAMES = 256;

/** The words of findings, put together once for each name and distance: most are those of many properties. Its memory is bounded. */
export class RiskValues {
  readonly #byName = new Map<string, string[]>();

  /** The same as riskValue; `distance_m` is whole and not negative. */
  of(on_property: boolean, distance_m: number, name: string): string {
    let words = this.#byName.get(name);
    if (words === undefined) {
      if (this.#byName.size === MOST_NAMES) this.#byName.clear();
      words = [];
      this.#byName.set(name, words);
    }
    const at = on_property ? 0 : distance_m + 1;
    words[at] ??= riskValue(on_property, distance_m, name);
    return words[at];
  }
}
