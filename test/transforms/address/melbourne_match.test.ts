import { beforeAll, describe, expect, it } from 'vitest';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { buildAddressIndex } from '../../../transforms/address/match/build.ts';
import { matchAddress } from '../../../transforms/address/match/match.ts';
import type { MatchResult } from '../../../transforms/address/match/match_result.ts';
import { hasSharedData, sharedCsv, sharedPath } from '../../shared_data.ts';
import { gnafRows } from './gnaf_rows.ts';

const hasData = hasSharedData('matching of the sales of Melbourne');
const GNAF = 'melbourne/gnaf/g-naf_nov25_vic-melbourne_gda2020_psv.zip';
/** Reach of rules by which the address is in another street or suburb than the text says. */
const WEAK =
  /street_typo|locality_typo|locality_neighbour|locality_by_postcode|postcode_only|street_crosses_border/;
const WEAK_REACH_M = 300;
const SAME_PLACE_M = 100;
/**
 * Sales whose own coordinates are of another place, by reading: all four were put there by one upload of 3/6/2017, and of 1 Daisy St
 * an earlier sale of the same land (267 m²) has the coordinates of the address.
 */
const MISPLACED: ReadonlySet<string> = new Set([
  '1 Daisy St, Essendon, 3/6/2017',
  '27 Miller St, Essendon, 3/6/2017',
  '1/10 Schofield St, Essendon, 3/6/2017',
  '35 Washington St, Essendon, 3/6/2017',
]);
/** Street types as the file shortens them. */
const TYPES: Readonly<Record<string, string>> = {
  St: 'STREET',
  Rd: 'ROAD',
  Ct: 'COURT',
  Dr: 'DRIVE',
  Av: 'AVENUE',
  Gr: 'GROVE',
  Pde: 'PARADE',
  Pl: 'PLACE',
  Cr: 'CRESCENT',
  Cl: 'CLOSE',
  La: 'LANE',
  Bvd: 'BOULEVARD',
  Tce: 'TERRACE',
  Hwy: 'HIGHWAY',
};

interface Sale {
  name: string;
  address: string;
  suburb: string;
  postcode: string;
  lon: number;
  lat: number;
}
type Row = Awaited<ReturnType<typeof gnafRows>>['addresses'][number] & {
  street_name: string | null;
  street_type: string | null;
};

describe.skipIf(!hasData)('the sales of Melbourne, whose own coordinates judge', () => {
  let index: AddressIndex;
  let sales: Sale[];
  const byKey = new Map<string, Row[]>();

  const key = (unit: string | null, number: string, name: string, type: string | null): string =>
    [unit ?? '', number, name, type ?? ''].join('|');
  const metres = (lon: number, lat: number, to: Sale): number =>
    Math.hypot((lon - to.lon) * Math.cos((lat * Math.PI) / 180), lat - to.lat) * 111_200;
  const away_m = (pid: string, sale: Sale): number => {
    const [lon, lat] = index.addresses.place(index.addresses.pids.find(pid))!;
    return metres(lon, lat, sale);
  };
  const match = ({ address, suburb, postcode, lon, lat }: Sale, isSeen: boolean): MatchResult =>
    matchAddress(index, { text: address, suburb, postcode, state: 'VIC' }, isSeen ? { lon, lat } : {});
  const isRight = (sale: Sale, pid: string): boolean =>
    MISPLACED.has(sale.name) || away_m(pid, sale) <= WEAK_REACH_M;

  /** Addresses near a sale with its number, unit and street, whatever their suburb: what the register can decide. */
  function nearBy(sale: Sale): string[] {
    const parts = /^(?:(\w+)\/)?(\d+[A-Za-z]?) (.+)$/.exec(sale.address);
    if (parts === null) return [];
    const [, unit = null, number, street] = parts;
    const words = street!.split(' ');
    const type = words.length > 1 ? TYPES[words.at(-1)!] : undefined;
    const name = (type === undefined ? street! : words.slice(0, -1).join(' ')).toUpperCase();
    const found = byKey.get(key(unit, number!.toUpperCase(), name, type ?? null)) ?? [];
    return [
      ...new Set(
        found
          .filter(({ lon, lat }) => lon !== null && metres(lon, lat!, sale) <= SAME_PLACE_M)
          .map((row) => row.gnaf_pid),
      ),
    ];
  }

  beforeAll(async () => {
    const rows = await gnafRows(sharedPath(GNAF));
    index = await buildAddressIndex(rows);
    for (const row of rows.addresses as Row[]) {
      if (row.number_first === null || row.street_name === null) continue;
      for (const number of new Set([row.number_first, row.number_last ?? row.number_first])) {
        const at = key(row.flat_number, number, row.street_name, row.street_type);
        byKey.set(at, [...(byKey.get(at) ?? []), row]);
      }
    }
    const known = new Set(index.localities.all.map(({ name }) => name));
    sales = sharedCsv('yarra/sales/melb_data.csv')
      .map((row) => ({
        name: `${row.Address}, ${row.Suburb}, ${row.Date}`,
        address: row.Address!,
        suburb: row.Suburb!,
        postcode: row.Postcode!,
        lon: Number(row.Longtitude),
        lat: Number(row.Lattitude),
      }))
      .filter(({ suburb }) => known.has(suburb.toUpperCase()));
  });

  it('are right where they match, by their text alone and with their coordinates', () => {
    expect(sales.length).toBeGreaterThan(6_000);
    for (const isSeen of [false, true]) {
      const matched = sales.flatMap((sale) => {
        const { gnaf_pid, rule } = match(sale, isSeen);
        return gnaf_pid === null ? [] : [{ sale, gnaf_pid, rule }];
      });
      const wrong = matched.filter(({ sale, gnaf_pid }) => !isRight(sale, gnaf_pid));
      const precision = 1 - wrong.length / matched.length;
      console.log(
        `Melbourne, ${isSeen ? 'with coordinates' : 'text alone'}: ${matched.length} of ${sales.length} sales matched, precision ${(100 * precision).toFixed(2)} %`,
        wrong.map(({ sale, rule }) => `${sale.name}: ${rule}`),
      );
      expect(matched.length).toBeGreaterThan(2_900);
      expect(precision).toBeGreaterThanOrEqual(0.999);
      if (isSeen) expect(wrong).toEqual([]);
    }
  });

  it('are found wherever one address near them has their number and street', () => {
    const decided = sales.flatMap((sale) => {
      const near = nearBy(sale);
      return near.length === 1 ? [{ sale, pid: near[0]!, result: match(sale, true) }] : [];
    });
    const missed = decided.filter(({ pid, result }) => result.gnaf_pid !== pid);
    const recall = 1 - missed.length / decided.length;
    console.log(
      `Melbourne: ${decided.length} sales that the register can decide, recall ${(100 * recall).toFixed(2)} %`,
      missed.slice(0, 20).map(({ sale, result }) => `${sale.name}: ${result.status} ${result.rule}`),
    );
    expect(decided.length).toBeGreaterThan(2_800);
    expect(recall).toBeGreaterThanOrEqual(0.99);
  });

  it('are not matched by a weak rule beyond its reach, and units without an address of their own not at all', () => {
    const results = sales.map((sale) => ({ sale, result: match(sale, true) }));
    const beyond = results.filter(
      ({ sale, result: { gnaf_pid, rule } }) =>
        gnaf_pid !== null && WEAK.test(rule) && away_m(gnaf_pid, sale) > WEAK_REACH_M,
    );
    expect(beyond).toEqual([]);
    // The text alone would match them.
    const tivey = sales.find(({ address }) => address === '23 Tovey St')!;
    expect(match(tivey, false).rule).toBe('street_typo');
    expect(match(tivey, true)).toMatchObject({ status: 'no_match', rule: 'street_typo+far_away' });
    const parents = results.filter(({ result }) => result.status === 'parent');
    expect(parents.length).toBeGreaterThan(800);
    for (const { sale, result } of parents) {
      expect(result).toMatchObject({
        gnaf_pid: null,
        rule: expect.stringMatching(/unit_absent|inside_range/),
      });
      expect(away_m(result.parent_pid!, sale), sale.name).toBeLessThanOrEqual(WEAK_REACH_M);
    }
    expect(match(sales.find(({ address }) => address === '5 Black St')!, true).rule).toBe(
      'inside_range+coordinates',
    );
  });

  it('are found in a street named after a state, and in the suburb that the coordinates confirm', () => {
    const ask = (address: string, suburb: string) =>
      match(sales.find((sale) => sale.address === address && sale.suburb === suburb)!, true).rule;
    expect(ask('3 Avenue Victoria', 'Hawthorn East')).toBe('coordinates');
    expect(ask('4 Edwin St', 'Ivanhoe')).toBe('locality_further+coordinates');
    expect(ask('1/37 Myrtle St', 'Ivanhoe')).toBe('locality_further+coordinates');
  });
});
