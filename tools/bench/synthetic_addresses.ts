import type {
  AddressParentRow,
  IndexAddressRow,
  IndexSource,
  LocalityNeighbourRow,
  LocalityRow,
  StreetRow,
} from '../../transforms/address/match/index_rows.ts';
import { seededRandom } from '../sample/random.ts';

const HEADS =
  'AB BAR BEN BRIGH CAM CAR CHEL CLAR DAN DOR ED EL FAIR FER GLEN GRAN HAM HOL KEN KING LAN LIN MAR MEL MON NEW NOR OAK PEM RICH ROS SAL SHER STAN SUT THORN WAL WEN WIN YAR'.split(
    ' ',
  );
const MIDDLES = 'A BER DA E FI GA I LA LE MA NE O RA RI SA TA TER VA WA'.split(' ');
const ENDS =
  'BURY DALE DEN FIELD FORD HAM LAND LEY LING MERE MONT NEY RIDGE SON STEAD STONE TON VILLE WICK WOOD WORTH'.split(
    ' ',
  );
const TYPES = [
  'STREET',
  'STREET',
  'STREET',
  'ROAD',
  'ROAD',
  'AVENUE',
  'COURT',
  'PLACE',
  'DRIVE',
  'CRESCENT',
  'LANE',
  'PARADE',
  'GROVE',
  'TERRACE',
];

/** Addresses per street and streets per locality of a state. */
const PER_STREET = 22;
const STREETS_PER_LOCALITY = 30;
const BATCH = 10_000;

/** What the queries of a benchmark are made of. */
export interface SyntheticAddress {
  pid: string;
  unit: string | null;
  number: string;
  street: number;
}

/** A seeded state: localities on a grid, streets with names of two or three syllables, houses, units in buildings, ranges. */
export class SyntheticState {
  readonly streets: StreetRow[] = [];
  readonly localities: (LocalityRow & { lon: number; lat: number; code: string })[] = [];
  readonly neighbours: LocalityNeighbourRow[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    const { next, int, pick } = seededRandom(11, 'places');
    const name = (): string => pick(HEADS) + (next() < 0.6 ? pick(MIDDLES) : '') + pick(ENDS);
    const streets = Math.ceil(count / PER_STREET);
    const localities = Math.ceil(streets / STREETS_PER_LOCALITY);
    const side = Math.ceil(Math.sqrt(localities));
    for (let l = 0; l < localities; l++) {
      const [x, y] = [l % side, Math.floor(l / side)];
      const code = String(3000 + (l % 900));
      const locality = {
        locality_pid: `loc${l}`,
        state: 'VIC',
        name: `${name()} ${l % 7 === 0 ? 'NORTH' : ''}`.trim(),
        postcode: code,
        class: 'G',
      };
      this.localities.push({ ...locality, code, lon: 144 + x * 0.02, lat: -38 + y * 0.02 });
      if (x > 0) this.neighbours.push({ locality_pid: `loc${l}`, neighbour_pid: `loc${l - 1}` });
      if (y > 0) this.neighbours.push({ locality_pid: `loc${l}`, neighbour_pid: `loc${l - side}` });
    }
    for (let s = 0; s < streets; s++)
      this.streets.push({
        street_pid: `VIC${s}`,
        locality_pid: `loc${int(localities)}`,
        name: name(),
        type: pick(TYPES),
        suffix: null,
      });
  }

  /** Every address: a street has houses of even and odd numbers, one building in six has units, one number in twelve is a range. */
  *#each(): Generator<{ row: IndexAddressRow; parent: string | null }> {
    const { next, int } = seededRandom(12, 'addresses');
    let made = 0;
    const pid = (): string => `GAVIC${String(400_000_000 + made++).padStart(9, '0')}`;
    for (let s = 0; made < this.#count; s = (s + 1) % this.streets.length) {
      const street = this.streets[s]!;
      const locality = this.localities[Number(street.locality_pid.slice(3))]!;
      let number = 1 + int(2) + 40 * Math.floor(made / this.#count);
      for (let i = 0; i < PER_STREET && made < this.#count; i++) {
        number += 2;
        const last = next() < 0.08 ? String(number + 2) : null;
        const units = next() < 0.16 ? 1 + int(8) : 0;
        const base = this.#row(street, locality, String(number), last, next);
        const parent = pid();
        yield { row: { ...base, gnaf_pid: parent }, parent: null };
        for (let u = 1; u <= units && made < this.#count; u++)
          yield { row: { ...base, gnaf_pid: pid(), flat_type: 'UNIT', flat_number: String(u) }, parent };
        if (last !== null) number += 2;
        i += units;
      }
    }
  }

  #row(
    street: StreetRow,
    locality: { lon: number; lat: number; code: string },
    first: string,
    last: string | null,
    next: () => number,
  ): IndexAddressRow {
    return {
      gnaf_pid: '',
      building_name: null,
      lot_number: null,
      flat_type: null,
      flat_number: null,
      level_type: null,
      level_number: null,
      number_first: first,
      number_last: last,
      street_pid: street.street_pid,
      locality_pid: street.locality_pid,
      postcode: locality.code,
      lot_plan: `${Math.floor(next() * 900)}\\PS${100_000 + Math.floor(next() * 800_000)}`,
      is_live: true,
      geocode_level: 7,
      lon: locality.lon + next() * 0.015,
      lat: locality.lat + next() * 0.015,
    };
  }

  /** The rows in batches, as a database sends them. */
  source(): IndexSource {
    const each = (): Generator<{ row: IndexAddressRow; parent: string | null }> => this.#each();
    return {
      localities: this.localities,
      locality_neighbours: this.neighbours,
      streets: this.streets,
      addresses: (async function* () {
        let batch: IndexAddressRow[] = [];
        for (const { row } of each()) {
          batch.push(row);
          if (batch.length < BATCH) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      })(),
      address_parents: (async function* () {
        let batch: AddressParentRow[] = [];
        for (const { row, parent } of each()) {
          if (parent === null) continue;
          batch.push({ secondary_pid: row.gnaf_pid, primary_pid: parent });
          if (batch.length < BATCH) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      })(),
    };
  }

  /** About `count` addresses spread over the state, for queries. */
  sample(
    count: number,
  ): { row: IndexAddressRow; street: StreetRow; locality: LocalityRow & { code: string } }[] {
    const every = Math.max(1, Math.floor(this.#count / count));
    const found = [];
    let i = 0;
    for (const { row } of this.#each()) {
      if (i++ % every !== 0) continue;
      const street = this.streets[Number(row.street_pid!.slice(3))]!;
      found.push({ row, street, locality: this.localities[Number(row.locality_pid.slice(3))]! });
    }
    return found;
  }
}
