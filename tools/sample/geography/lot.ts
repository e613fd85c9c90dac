import type { Shape } from './shape.ts';

/** What stands on a lot; it decides the shape of its parcel and how many addresses it has. */
export type LotKind =
  | 'house'
  | 'duplex'
  | 'half'
  | 'battle_axe_front'
  | 'battle_axe_rear'
  | 'court'
  | 'tower'
  | 'around'
  | 'inside'
  | 'multipart'
  | 'shops'
  | 'factory'
  | 'school'
  | 'reserve'
  | 'road'
  | 'rural';

/** A ground parcel in a town's plane. */
export interface Lot {
  kind: LotKind;
  shape: Shape;
  /** A point well inside the lot. */
  anchor: readonly [number, number];
  /** Middle of its frontage, and the unit vector from there to the street. */
  front: readonly [number, number];
  outward: readonly [number, number];
  /** Street of its address, an index within the suburb; -1: no address. */
  street: number;
  number_first: number;
  /** Last number where the lot is as wide as several; 0: one number. */
  number_last: number;
  number_suffix: string;
  /** Units on it beside the lot's own address; 0: a single address. */
  units: number;
}

/** What a block is used for; zoning and mesh block category follow from it. */
export type BlockUse = 'residential' | 'dense' | 'shops' | 'industrial' | 'park' | 'school' | 'rural';

/** A block of land between road centre lines, with its lots. */
export interface Block {
  /** Column and row in the suburb. */
  col: number;
  row: number;
  use: BlockUse;
  /** Extent to the centre lines of the roads around it. */
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  lots: Lot[];
}

/** Next free number on each side of a suburb's streets. */
export class StreetNumbers {
  private readonly next = new Map<number, number>();

  /** Takes `count` numbers (2 apart) on the even or odd side of a street and returns the first. */
  take(street: number, even: boolean, count: number): number {
    const key = street * 2 + (even ? 0 : 1);
    const first = this.next.get(key) ?? (even ? 2 : 1);
    this.next.set(key, first + 2 * count);
    return first;
  }
}
