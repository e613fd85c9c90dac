import type { Random } from '../random.ts';
import type { BlockUse, Lot, LotKind, StreetNumbers } from './lot.ts';
import { type Ring, rectangle, simple } from './shape.ts';

/** One row of lots along a street: from front (the street) to rear, cut at `dividers` (ascending x, ends included). */
export interface RowSpec {
  readonly front: number;
  readonly rear: number;
  readonly dividers: readonly number[];
  /** Divisions of the row behind. */
  readonly behind: readonly number[];
  /** Whether they are vertices of this row's rear boundary too, or meet it in T-junctions without a node. */
  readonly noded: boolean;
  readonly street: number;
  readonly use: BlockUse;
  /** Patterns that come first, so that the smallest country has them. */
  readonly featured: readonly LotKind[];
}

/** Share of side and rear boundaries that miss their neighbour by 1 to 5 cm. */
const MISFIT_SHARE = 0.03;
const SPAN: Partial<Record<LotKind, number>> = {
  tower: 3,
  battle_axe_rear: 2,
  around: 3,
  multipart: 3,
  shops: 2,
  factory: 2,
};

/** Cuts a length into lots of about `frontage`, each a little different, and returns the divisions to the centimetre. */
export function divide(from: number, to: number, frontage: number, random: Random): number[] {
  const count = Math.max(3, Math.round((to - from) / frontage));
  const dividers = [from];
  for (let i = 1; i < count; i++) {
    const even = from + ((to - from) * i) / count;
    dividers.push(Math.round((even + (random.next() - 0.5) * 0.3 * frontage) * 100) / 100);
  }
  dividers.push(to);
  return dividers;
}

/** Nearer than this, two divisions across a rear boundary become one: no pair of parcels shares next to nothing. */
const SNAP_M = 1.5;

/** The divisions with those near one of the row behind moved onto it; first and last stay. */
export function snap(dividers: readonly number[], behind: readonly number[]): number[] {
  return dividers.map((x, i) => {
    if (i === 0 || i === dividers.length - 1) return x;
    return snapOne(x, behind);
  });
}

const snapOne = (x: number, behind: readonly number[]): number =>
  behind.find((other) => Math.abs(other - x) < SNAP_M) ?? x;

function chooseKind(spec: RowSpec, random: Random): LotKind {
  if (spec.use === 'shops') return 'shops';
  if (spec.use === 'industrial') return 'factory';
  const draw = random.next();
  if (draw < (spec.use === 'dense' ? 0.12 : 0.008)) return 'tower';
  if (draw < 0.05 && spec.use === 'residential') return 'battle_axe_rear';
  if (draw < 0.054) return 'around';
  if (draw < 0.058) return 'multipart';
  if (draw < 0.11) return 'duplex';
  if (draw < 0.13) return 'half';
  return 'house';
}

const misfit = (random: Random): number =>
  random.chance(MISFIT_SHARE) ? ((1 + random.int(5)) / 100) * (random.chance(0.5) ? 1 : -1) : 0;

/** Adds the lots of a row to `lots`. A wanted pattern that is wider than what is left of the row becomes a house. */
export function buildRow(spec: RowSpec, random: Random, numbers: StreetNumbers, lots: Lot[]): void {
  const count = spec.dividers.length - 1;
  const placer = new Placer(spec, numbers, lots);
  const featured = [...spec.featured];
  for (let i = 0; i < count; ) {
    const wanted = featured.shift() ?? chooseKind(spec, random);
    const kind = i + (SPAN[wanted] ?? 1) <= count ? wanted : 'house';
    const span = SPAN[kind] ?? 1;
    const west = spec.dividers[i]!;
    const east = spec.dividers[i + span]!;
    if (kind === 'battle_axe_rear') placer.battleAxe(west, east, random);
    else if (kind === 'around') placer.around(west, east);
    else if (kind === 'multipart') placer.multipart(spec.dividers.slice(i, i + 4));
    else if (kind === 'half') placer.halves(west, east);
    else {
      const fits = kind !== 'house';
      const last = i + span === count;
      const side = fits || last ? 0 : misfit(random);
      // one of two rows only: a gap of two misfits would be no slip of a pen
      const rear = fits || spec.front > spec.rear ? 0 : misfit(random);
      placer.plain(
        kind,
        west,
        east + side,
        spec.rear + rear,
        span,
        spec.featured.length > 0 ? Math.min(12, unitsOf(kind, random)) : unitsOf(kind, random),
      );
    }
    i += span;
  }
}

function unitsOf(kind: LotKind, random: Random): number {
  if (kind === 'tower') return 8 + random.int(52);
  if (kind === 'duplex') return 2;
  if (kind === 'shops') return random.chance(0.7) ? 2 + random.int(6) : 0;
  if (kind === 'factory') return random.chance(0.3) ? 2 + random.int(4) : 0;
  return 0;
}

/** Makes the lots of one row. */
class Placer {
  private readonly spec: RowSpec;
  private readonly numbers: StreetNumbers;
  private readonly lots: Lot[];
  private readonly south: boolean;

  constructor(spec: RowSpec, numbers: StreetNumbers, lots: Lot[]) {
    this.spec = spec;
    this.numbers = numbers;
    this.lots = lots;
    this.south = spec.front < spec.rear;
  }

  plain(kind: LotKind, west: number, east: number, rear: number, span: number, units: number): void {
    this.add(
      kind,
      this.box(west, east, this.spec.front, rear),
      [(west + east) / 2, this.depth(0.5)],
      west,
      east,
      span,
      units,
    );
  }

  /** Two lots, one behind the other; the rear one reaches the street by a handle 4 m wide. */
  battleAxe(west: number, east: number, random: Random): void {
    const { front } = this.spec;
    const middle = this.depth(0.45);
    const handle = east - 4;
    const [first, second] = random.chance(0.5) ? [0, 1] : [1, 0];
    const base = this.numbers.take(this.spec.street, this.south, 2);
    const fore = this.add(
      'battle_axe_front',
      rectangle(west, front, handle, middle),
      [(west + handle) / 2, this.depth(0.2)],
      west,
      handle,
      0,
      0,
    );
    fore.number_first = base + 2 * first!;
    const nodes = this.rearNodes(west, east, this.spec.rear);
    const ring = [
      handle,
      front,
      east,
      front,
      east,
      this.spec.rear,
      ...nodes,
      west,
      this.spec.rear,
      west,
      middle,
      handle,
      middle,
    ];
    const back = this.add('battle_axe_rear', ring, [(west + east) / 2, this.depth(0.7)], handle, east, 0, 0);
    back.number_first = base + 2 * second!;
  }

  /** A lot with a hole that is another lot. */
  around(west: number, east: number): void {
    const outer = this.add(
      'around',
      this.box(west, east, this.spec.front, this.spec.rear),
      [west + 3, this.depth(0.2)],
      west,
      east,
      3,
      0,
    );
    const x = (west + east) / 2;
    const [y0, y1] = [this.depth(0.4), this.depth(0.7)];
    const hole = rectangle(x - 6, y0, x + 7, y1);
    outer.shape = { rings: [outer.shape.rings[0]!, hole], holes: 1 };
    const inner = this.add('inside', hole, [x, this.depth(0.55)], x - 6, x + 7, 0, 0);
    inner.street = -1;
  }

  /** One parcel of two parts with another lot between them. */
  multipart(dividers: readonly number[]): void {
    const [a, b, c, d] = dividers as [number, number, number, number];
    const { front, rear } = this.spec;
    const lot = this.add(
      'multipart',
      this.box(a, b, front, rear),
      [(a + b) / 2, this.depth(0.5)],
      a,
      b,
      1,
      0,
    );
    lot.shape = { rings: [lot.shape.rings[0]!, this.box(c, d, front, rear)], holes: 0 };
    this.plain('house', b, c, rear, 1, 0);
    this.numbers.take(this.spec.street, this.south, 1);
  }

  /** Two narrow parcels where one was: numbers such as 12 and 12A. */
  halves(west: number, east: number): void {
    const x = snapOne(Math.round((west + east) * 50) / 100, this.spec.behind);
    const first = this.add(
      'half',
      this.box(west, x, this.spec.front, this.spec.rear),
      [(west + x) / 2, this.depth(0.5)],
      west,
      x,
      1,
      0,
    );
    const second = this.add(
      'half',
      this.box(x, east, this.spec.front, this.spec.rear),
      [(x + east) / 2, this.depth(0.5)],
      x,
      east,
      0,
      0,
    );
    second.number_first = first.number_first;
    second.number_suffix = 'A';
  }

  private add(
    kind: LotKind,
    ring: Ring,
    anchor: [number, number],
    west: number,
    east: number,
    span: number,
    units: number,
  ): Lot {
    const { street, front } = this.spec;
    const first = span > 0 ? this.numbers.take(street, this.south, span) : 0;
    const lot: Lot = {
      kind,
      shape: simple(ring),
      anchor,
      front: [(west + east) / 2, front],
      outward: [0, this.south ? -1 : 1],
      street,
      number_first: first,
      number_last: span > 1 ? first + 2 * (span - 1) : 0,
      number_suffix: '',
      units,
    };
    this.lots.push(lot);
    return lot;
  }

  private depth(share: number): number {
    return this.spec.front + (this.spec.rear - this.spec.front) * share;
  }

  private box(west: number, east: number, front: number, rear: number): Ring {
    return [west, front, east, front, east, rear, ...this.rearNodes(west, east, rear), west, rear];
  }

  private rearNodes(west: number, east: number, rear: number): number[] {
    if (!this.spec.noded) return [];
    const inside = this.spec.behind.filter((x) => x > west + 0.5 && x < east - 0.5);
    return inside.reverse().flatMap((x) => [x, rear]);
  }
}
