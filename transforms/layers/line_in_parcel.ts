import type { ParcelSet } from './parcel_set.ts';

let crossings = new Float64Array(32);

/** Returns the length of p → q, moved to its left by `shift_m`, inside a parcel by the even-odd rule, metres. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
function insideLength(
  parcels: ParcelSet,
  parcel: number,
  px: number,
  py: number,
  qx: number,
  qy: number,
  shift_m: number,
): number {
  const { xy, ring_ends, first_ring } = parcels;
  const length = Math.hypot(qx - px, qy - py);
  const dx = (qx - px) / length;
  const dy = (qy - py) / length;
  let n = 0;
  for (let ring = first_ring[parcel]!; ring < first_ring[parcel + 1]!; ring++) {
    const from = ring === 0 ? 0 : ring_ends[ring - 1]!;
    for (let i = from * 2; i < ring_ends[ring]! * 2 - 2; i += 2) {
      const a = dx * (xy[i + 1]! - py) - dy * (xy[i]! - px) - shift_m;
      const b = dx * (xy[i + 3]! - py) - dy * (xy[i + 2]! - px) - shift_m;
      if (a > 0 === b > 0) continue;
      const along = dx * (xy[i]! - px) + dy * (xy[i + 1]! - py);
      const alongNext = dx * (xy[i + 2]! - px) + dy * (xy[i + 3]! - py);
      if (n === crossings.length) {
        const larger = new Float64Array(n * 2);
        larger.set(crossings);
        crossings = larger;
      }
      crossings[n++] = along + (a / (a - b)) * (alongNext - along);
    }
  }
  crossings.subarray(0, n).sort();
  let total = 0;
  for (let k = 0; k + 1 < n; k += 2) {
    total += Math.max(0, Math.min(crossings[k + 1]!, length) - Math.max(crossings[k]!, 0));
  }
  return total;
}

/** Distance that a line is moved to either side to detect that it only follows the border, metres. */
const BORDER_M = 0.01;

/**
 * Returns the length of p → q (metres on the plane) inside a parcel, not along its border. It is the smaller of the lengths inside
 * after moving the line 1 cm to either side.
 */
export function lengthInside(
  parcels: ParcelSet,
  parcel: number,
  px: number,
  py: number,
  qx: number,
  qy: number,
): number {
  if (px === qx && py === qy) return 0;
  return Math.min(
    insideLength(parcels, parcel, px, py, qx, qy, BORDER_M),
    insideLength(parcels, parcel, px, py, qx, qy, -BORDER_M),
  );
}
