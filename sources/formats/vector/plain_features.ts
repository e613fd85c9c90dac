import type { AnyGeometry } from '../../../transforms/geo/wkb.ts';
import type { Family, FeatureField, Features, Problem, Shape } from '../feature.ts';
import { idOf, numberOf, textOf } from './attribute_value.ts';
import { knownExtent, rejectedShape, shapeOf } from './feature_shape.ts';

/** Coordinates of a feature in the CRS of the file; `ends` are vertex numbers where rings or lines end, exclusive. */
export interface RawGeometry {
  readonly kind: Family;
  readonly coords: Float64Array;
  readonly ends: readonly number[];
  /** Ring numbers where polygons end, exclusive; null: the format has rings only, or the shape is not a polygon. */
  readonly polygonEnds: readonly number[] | null;
}

/** Why a geometry is rejected. */
export interface BadGeometry extends Problem {
  /** Corners of a box around it, in the CRS of the file; absent: unknown. */
  readonly corners?: Float64Array;
}

/** A feature whose values are in memory. */
export interface PlainFeature {
  /** Why it is rejected; its geometry then only gives its location, if known. */
  readonly problem: Problem | null;
  /** Values by the key of their field. */
  readonly values: Readonly<Record<string | number, unknown>>;
  /** Null: no shape. */
  readonly geometry: RawGeometry | BadGeometry | null;
  /** Name of its drop; absent: none. */
  readonly drop?: string;
}

/** Builds a feature that cannot be read; `geometry` only gives its location. */
export const damagedFeature = (
  code: string,
  message: string,
  geometry: PlainFeature['geometry'] = null,
): PlainFeature => ({ problem: { code, message }, values: {}, geometry });

/** Returns the coordinates of a decoded WKB geometry; null: empty. */
export function rawOf({ kind, geometry }: AnyGeometry): RawGeometry | null {
  if (geometry.coords.length === 0) return null;
  const ends = 'ringEnds' in geometry ? geometry.ringEnds : 'lineEnds' in geometry ? geometry.lineEnds : [];
  const polygonEnds = 'polygonEnds' in geometry ? geometry.polygonEnds : null;
  return { kind, coords: geometry.coords, ends, polygonEnds };
}

/** A batch of features with their values in memory; a shape is transformed to GDA2020 when it is first requested. */
export class PlainFeatures implements Features {
  readonly first: number;
  readonly #features: readonly PlainFeature[];
  readonly #toGda2020: (coords: Float64Array) => void;
  readonly #moved: Uint8Array;

  constructor(first: number, features: readonly PlainFeature[], toGda2020: (coords: Float64Array) => void) {
    this.first = first;
    this.#features = features;
    this.#toGda2020 = toGda2020;
    this.#moved = new Uint8Array(features.length);
  }

  get count(): number {
    return this.#features.length;
  }

  problem(row: number): Problem | null {
    const { problem, geometry } = this.#features[row]!;
    if (problem === null || geometry === null || 'code' in geometry) return problem;
    return { ...problem, extent: knownExtent(this.#moved2020(row, geometry)) };
  }

  #moved2020(row: number, { coords }: RawGeometry): Float64Array {
    if (this.#moved[row] === 0) this.#toGda2020(coords);
    this.#moved[row] = 1;
    return coords;
  }

  dropOf(row: number): string | null {
    return this.#features[row]!.drop ?? null;
  }

  text(row: number, field: FeatureField): string | null {
    return textOf(this.#features[row]!.values[field.key]);
  }

  number(row: number, field: FeatureField): number | null {
    return numberOf(this.#features[row]!.values[field.key]);
  }

  id(row: number, field: FeatureField): string | null {
    return idOf(this.#features[row]!.values[field.key]);
  }

  #rejected({ code, message, corners }: BadGeometry): Shape {
    if (corners === undefined) return rejectedShape(code, message);
    const coords = corners.slice();
    this.#toGda2020(coords);
    return { kind: 'reject', reject: { code, message, extent: knownExtent(coords) } };
  }

  shape(row: number): Shape {
    const { problem, geometry } = this.#features[row]!;
    if (problem !== null) return { kind: 'reject', reject: problem };
    if (geometry === null) return { kind: 'none' };
    if ('code' in geometry) return this.#rejected(geometry);
    return shapeOf(geometry.kind, this.#moved2020(row, geometry), geometry.ends, geometry.polygonEnds);
  }
}
