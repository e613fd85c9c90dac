import type { Frame } from '../geography/frame.ts';
import type { StatePlace } from '../geography/places.ts';
import type { SuburbStreet } from '../geography/suburb.ts';
import { hexDigits } from '../random.ts';
import { CREATED, type StateTables } from './release.ts';

/** A street as G-NAF lists it. */
export interface Street extends SuburbStreet {
  readonly pid: string;
}

/** A locality as G-NAF lists it, with what its addresses need. */
export interface Locality {
  readonly pid: string;
  /** Upper case. */
  readonly name: string;
  readonly postcode: string;
  readonly point: readonly [number, number];
  /** Block (column, row) that holds the point. */
  readonly block: readonly [number, number];
  readonly streets: readonly Street[];
  readonly regions: {
    readonly sal: string;
    readonly lga: string;
    readonly poa: string;
    readonly sa2: string;
  };
}

/** Writes the locality and street tables of one state. */
export class LocalityWriter {
  private readonly seed: number;
  private readonly place: StatePlace;
  private readonly tables: StateTables;
  /** Localities with a tile, for neighbours. */
  private readonly byTile = new Map<string, string>();
  private streets = 0;
  private localities = 0;
  private links = 0;

  constructor(seed: number, place: StatePlace, tables: StateTables) {
    this.seed = seed;
    this.place = place;
    this.tables = tables;
  }

  /** Writes a gazetted locality and its streets; `tile` makes it a neighbour of the localities beside it. */
  write(
    frame: Frame,
    given: Omit<Locality, 'pid' | 'streets'> & { readonly streets: readonly SuburbStreet[] },
    tile: { town: number; i: number; j: number } | null,
  ): Locality {
    const { tables, place } = this;
    const n = ++this.localities;
    const pid = `loc${hexDigits(this.seed, `${place.code} ${n}`)}`;
    const primary = n % 10 === 0 ? given.postcode : '';
    tables.LOCALITY.line(`${pid}|2021-06-24||${given.name}|${primary}|G|${place.digit}||5`);
    const [x, y] = given.point;
    tables.LOCALITY_POINT.line(
      `${place.digit}${10_000 + n}|2021-06-24||${pid}||${frame.lon(x, y).toFixed(8)}|${frame.lat(x, y).toFixed(8)}`,
    );
    if (n % 7 === 0)
      tables.LOCALITY_ALIAS.line(
        `${place.digit}${n}|2021-06-24||${pid}|${given.name} VILLAGE||SYN|${place.digit}`,
      );
    if (tile !== null) this.neighbours(pid, tile);
    const streets = given.streets.map((street, index) => this.street(frame, street, pid, index));
    return { ...given, pid, streets };
  }

  private street(frame: Frame, street: SuburbStreet, locality: string, index: number): Street {
    const { tables, place } = this;
    const serial = 7_000_000 + ++this.streets;
    const pid = `${place.code}${serial}`;
    const [suffix, reliability] = [street.suffix ?? '', street.confirmed ? 4 : 5];
    tables.STREET_LOCALITY.line(
      `${pid}|2007-07-13||${street.confirmed ? 'C' : 'U'}|${street.name}|${street.type ?? ''}|${suffix}|${locality}||2|${reliability}`,
    );
    if (street.confirmed) {
      const [x, y] = street.point;
      tables.STREET_LOCALITY_POINT.line(
        `${serial}|2007-07-13||${pid}|||${frame.lon(x, y).toFixed(8)}|${frame.lat(x, y).toFixed(8)}`,
      );
    }
    if (index === 1)
      tables.STREET_LOCALITY_ALIAS.line(`${pid}|2007-07-13||${pid}|OLD ${street.name}|ROAD||SYN`);
    return { ...street, pid };
  }

  /** Both directions are listed, as published. */
  private neighbours(pid: string, { town, i, j }: { town: number; i: number; j: number }): void {
    this.byTile.set(`${town}/${i}/${j}`, pid);
    for (const [di, dj] of [
      [-1, 0],
      [1, 0],
      [0, -1],
      [0, 1],
    ] as const) {
      const other = this.byTile.get(`${town}/${i + di}/${j + dj}`);
      if (other === undefined) continue;
      for (const [a, b] of [
        [pid, other],
        [other, pid],
      ] as const) {
        this.tables.LOCALITY_NEIGHBOUR.line(`${this.place.digit}${++this.links}|${CREATED}||${a}|${b}`);
      }
    }
  }
}
