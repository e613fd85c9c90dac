import { gda94ToGda2020 } from '../../transforms/geo/datum.ts';

/** Inverse of `gda94ToGda2020`, in place; a round trip returns to within 1e-13 of a degree. */
export function gda2020ToGda94(coords: Float64Array): void {
  const moved = new Float64Array(2);
  for (let i = 0; i < coords.length; i += 2) {
    const lon = coords[i]!;
    const lat = coords[i + 1]!;
    let guessLon = lon;
    let guessLat = lat;
    // the shift changes by 1e-7 of itself over its own length: two steps reach the rounding of a double
    for (let step = 0; step < 2; step++) {
      moved.set([guessLon, guessLat]);
      gda94ToGda2020(moved);
      guessLon += lon - moved[0]!;
      guessLat += lat - moved[1]!;
    }
    coords[i] = guessLon;
    coords[i + 1] = guessLat;
  }
}
