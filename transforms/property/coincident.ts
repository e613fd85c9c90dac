import type { MultiPolygon } from '../geo/geometry.ts';

/** A parcel with its bounding box; its shape is only read if the boxes are equal. */
export interface BoxedParcel {
  readonly min_lon: number;
  readonly min_lat: number;
  readonly max_lon: number;
  readonly max_lat: number;
}

/** Returns the distinct vertices of a shape, ascending. */
function vertices({ coords }: MultiPolygon): string[] {
  const parcels = new Set<string>();
  for (let i = 0; i < coords.length; i += 2) parcels.add(`${coords[i]} ${coords[i + 1]}`);
  return [...parcels].sort();
}

/**
 * Finds parcels with the same boundary: lots of a building that a cadastre publishes each with the footprint of the whole. The
 * start of a ring does not matter.
 */
export class CoincidentParcels {
  readonly #parcels: readonly BoxedParcel[];
  readonly #shapeOf: (parcel: number) => MultiPolygon;
  readonly #byWest = new Map<number, number[]>();
  readonly #vertices = new Map<number, string>();

  constructor(parcels: readonly BoxedParcel[], shapeOf: (parcel: number) => MultiPolygon) {
    this.#parcels = parcels;
    this.#shapeOf = shapeOf;
    for (let i = 0; i < parcels.length; i++) {
      const { min_lon } = parcels[i]!;
      const candidates = this.#byWest.get(min_lon);
      if (candidates === undefined) this.#byWest.set(min_lon, [i]);
      else candidates.push(i);
    }
  }

  /** Returns whether another parcel has the same ground. */
  has(parcel: number): boolean {
    const one = this.#parcels[parcel]!;
    return this.#byWest.get(one.min_lon)!.some((other) => {
      if (other === parcel) return false;
      const { min_lat, max_lon, max_lat } = this.#parcels[other]!;
      if (min_lat !== one.min_lat || max_lon !== one.max_lon || max_lat !== one.max_lat) return false;
      return this.#ground(other) === this.#ground(parcel);
    });
  }

  #ground(parcel: number): string {
    let knownVertices = this.#vertices.get(parcel);
    if (knownVertices === undefined) {
      knownVertices = vertices(this.#shapeOf(parcel)).join();
      this.#vertices.set(parcel, knownVertices);
    }
    return knownVertices;
  }
}
