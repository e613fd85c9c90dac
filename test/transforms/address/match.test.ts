import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/sample/random.ts';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import type { IndexSource } from '../../../transforms/address/match/index_rows.ts';
import { candidates, type MatchInput, matchAddress } from '../../../transforms/address/match/match.ts';
import type { MatchHints } from '../../../transforms/address/match/match_result.ts';
import { TINY, tinyIndex } from './tiny_index.ts';

/** What is asked, the pid or the status where there is none, the rule. */
type Case = [asked: string | MatchInput, pid: string | null, rule: string, hints?: MatchHints];

const F = 'Fitzroy VIC 3065';

const MATCHED: Case[] = [
  [`12 Smith St, ${F}`, 'P1', 'exact'],
  [`1/12 Smith St, ${F}`, 'P2', 'exact'],
  [`Shop 3, 12 Smith St, ${F}`, 'P4', 'exact'],
  [`3/12 Smith St, ${F}`, 'P4', 'unit_type_differs'],
  [`14-18 Smith St, ${F}`, 'P5', 'exact'],
  [`18 Smith St, ${F}`, 'P5', 'range_end'],
  [`14 Smith St, ${F}`, 'P5', 'alias_address'],
  [`99 Smith St, ${F}`, 'P18', 'alias_address'],
  [`70 Smith St, ${F}`, 'P18', 'exact'],
  [`72 Smith St, ${F}`, 'P19', 'range_end'],
  [`20A Smith St, ${F}`, 'P6', 'exact'],
  [`A/20 Smith St, ${F}`, 'P6', 'letter_unit'],
  [`22B Smith St, ${F}`, 'P8', 'letter_unit'],
  [`Level 2, Unit 1, 40 Smith St, ${F}`, 'P13', 'exact'],
  [`7/64 Smith St, ${F}`, 'P17', 'range_end+unit_of_parent'],
  [`7/60-64 Smith St, ${F}`, 'P17', 'unit_of_parent'],
  [`12 Smtih St, ${F}`, 'P1', 'street_typo'],
  [`12 Smith, ${F}`, 'P1', 'missing_street_type'],
  [`1 Greenfield, ${F}`, 'P22', 'missing_street_type'],
  [`1 Greenfeild Rd, ${F}`, 'P22', 'street_typo'],
  [`1 Grenfeild Rd, ${F}`, 'P22', 'street_typo'],
  [`1 Old Greenfield Tr, ${F}`, 'P22', 'street_alias'],
  ['9 Saint Georges Road Collingwood', 'P26', 'exact'],
  [`4 The Esplanade, ${F}`, 'P27', 'exact'],
  ['8 Nicholson Street North, Fitzroy North', 'P28', 'exact'],
  ['8 Nicholson St N North Fitzroy', 'P28', 'exact'],
  ['8 Nicholson St, Nth Fitzroy', 'P28', 'missing_suffix'],
  ['33 Brunswick St Sth, Fitzroy North', 'P30', 'exact'],
  [`9 St Georges Rd, ${F.replace('3065', '')}`, 'P26', 'locality_neighbour'],
  [`112 Smith St, Fitzroy VIC 3066`, 'P20', 'locality_neighbour+street_crosses_border'],
  ['12 Smith St, Ballarat VIC', 'P31', 'locality_alias'],
  ['12 Smith St, Fitzory VIC 3065', 'P1', 'locality_typo'],
  ['12 Smith St 3065', 'P1', 'no_suburb'],
  ['12 Smith St, Unknownville VIC 3350', 'P31', 'postcode_only'],
  ['12 Smith Street, Surry Hills NSW', 'P32', 'exact'],
  ['Lot 5 Old Mine Rd, Ballarat Central', 'P33', 'exact'],
  ['Court House, Old Mine Rd, Ballarat Central', 'P35', 'building'],
  ['6\\PS77 VIC', 'P34', 'lot_plan'],
  [{ text: '50 Smith St, Fitzroy' }, 'P15', 'coordinates', { lon: 144.99, lat: -37.8 }],
  [{ text: '1/12 Smith Street' }, 'P2', 'place_by_coordinates+coordinates', { lon: 144.98, lat: -37.8 }],
  [{ unit: '2', number: '12', street: 'smith', street_type: 'St', suburb: 'fitzroy' }, 'P3', 'exact'],
  [{ text: `12 Smith St, ${F}`, unit: '2' }, 'P3', 'exact'],
  [{ text: '12 Smith St', suburb: 'Fitzroy', state: 'Vic' }, 'P1', 'exact'],
];

/** So many metres north of the units of 12 Smith St. */
const north = (metres: number) => ({ lon: 144.98, lat: -37.8 + metres / 111_200 });

const NOT_MATCHED: Case[] = [
  // What the text says less surely, coordinates outvote sooner.
  [{ text: `1/12 Smtih St, ${F}` }, 'no_match', 'street_typo+far_away', north(600)],
  [{ text: '1/12 Smith St, Fitzory VIC 3065' }, 'no_match', 'locality_typo+far_away', north(600)],
  [{ text: `1/12 Smtih St, ${F}` }, 'matched', 'street_typo', north(200)],
  [{ text: `1/12 Smith St, ${F}` }, 'matched', 'exact', north(600)],
  [{ text: `1/12 Smith, ${F}` }, 'matched', 'missing_street_type', north(900)],
  [{ text: `1/12 Smith, ${F}` }, 'no_match', 'missing_street_type+far_away', north(1_100)],
  [{ text: `1/12 Smith St, ${F}` }, 'no_match', 'far_away', north(2_100)],
  [`9/12 Smith St, ${F}`, 'parent', 'unit_absent'],
  [`1/70 Smith St, ${F}`, 'parent', 'unit_absent'],
  [`Shop 1, 12 Smith St, ${F}`, 'parent', 'unit_absent'],
  [`Level 1, 12 Smith St, ${F}`, 'parent', 'unit_absent'],
  [`19 Smith St, ${F}`, 'no_match', 'unit_not_stated'],
  [`16 Smith St, ${F}`, 'parent', 'inside_range'],
  // The other side of the street.
  [`17 Smith St, ${F}`, 'no_match', 'number_absent'],
  [`3/16 Smith St, ${F}`, 'parent', 'unit_absent+inside_range'],
  [`9/12 Smtih St, ${F}`, 'parent', 'street_typo+unit_absent'],
  [`9/12 Smith Ct, ${F}`, 'no_match', 'unit_absent+other_street_type'],
  [`14-16 Smith St, ${F}`, 'no_match', 'range_differs'],
  [`12-14 Smith St, ${F}`, 'no_match', 'range_differs'],
  [`30 Smith St, ${F}`, 'ambiguous', 'range_end'],
  [`50 Smith St, ${F}`, 'ambiguous', 'exact'],
  [`1/40 Smith St, ${F}`, 'ambiguous', 'exact'],
  [`5 Greenfield, ${F}`, 'ambiguous', 'missing_street_type'],
  [`Level 9, Unit 1, 40 Smith St, ${F}`, 'no_match', 'unit_absent'],
  [`24 Smith St, ${F}`, 'no_match', 'retired'],
  [`1 Greenfield Ct, ${F}`, 'no_match', 'other_street_type'],
  [`4 The Esplanade Ct, ${F}`, 'no_match', 'other_street_type'],
  ['33 Brunswick St, Fitzroy North', 'no_match', 'other_suffix'],
  ['10 Brunswick St North, Fitzroy North', 'no_match', 'other_suffix'],
  [`112 Smith St, ${F}`, 'no_match', 'number_absent'],
  ['12 Smith St, Fitzroy NSW', 'no_match', 'locality_unknown'],
  ['12 Smith St, Footscray VIC 3011', 'no_match', 'locality_unknown'],
  ['12 Smith St', 'no_match', 'no_locality'],
  [`12 Zambezi St, ${F}`, 'no_match', 'street_absent'],
  [`Smith St, ${F}`, 'no_match', 'no_number'],
  [`Cnr Smith & Jones Sts, ${F}`, 'no_match', 'no_number'],
  [`3&4/12 Smith St, ${F}`, 'parent', 'unit_absent'],
  ['12, Fitzroy 3065', 'no_match', 'street_absent'],
  [{ text: `1/12 Smith St, ${F}`, unit: '2' }, 'parent', 'unit_absent'],
  ['', 'no_match', 'no_address'],
  [{ text: '12 Smith St, Fitzroy' }, 'matched', 'exact', { lon: Number.NaN, lat: Number.POSITIVE_INFINITY }],
  [{ text: `1/12 Smith St, ${F}` }, 'no_match', 'far_away', { lon: 145.2, lat: -37.8 }],
  [{ text: `14-18 Smith St, ${F}` }, 'no_match', 'lot_plan_conflict', { lot_plan: '5\\PS77' }],
];

/** The parent of each, a building or a range, and never an address of its own. */
const PARENTS: [asked: string | MatchInput, parent: string, rule: string][] = [
  [`9/12 Smith St, ${F}`, 'P1', 'unit_absent'],
  [`12 Smith St, Unit 9, ${F}`, 'P1', 'unit_absent'],
  [`12 Smith St, U 9, ${F}`, 'P1', 'unit_absent'],
  [`1/70 Smith St, ${F}`, 'P18', 'unit_absent'],
  [`16 Smith St, ${F}`, 'P5', 'inside_range'],
  [`62 Smith St, ${F}`, 'P16', 'inside_range'],
  [`9/62 Smith St, ${F}`, 'P16', 'unit_absent+inside_range'],
];

describe('matchAddress', () => {
  let index: AddressIndex;
  const ask = (asked: string | MatchInput, hints?: MatchHints) =>
    matchAddress(index, typeof asked === 'string' ? { text: asked } : asked, hints);

  beforeAll(async () => {
    index = await tinyIndex();
  });

  it.each(MATCHED)('%j is %s by %s', (asked, pid, rule, hints) => {
    const { status, gnaf_pid, rule: found } = ask(asked, hints);
    expect({ status, gnaf_pid, rule: found }).toEqual({ status: 'matched', gnaf_pid: pid, rule });
  });

  it.each(NOT_MATCHED)('%j is %s: %s', (asked, status, rule, hints) => {
    const found = ask(asked, hints);
    expect({ status: found.status, rule: found.rule }).toEqual({ status, rule });
    if (status !== 'matched') expect(found.gnaf_pid).toBeNull();
  });

  it.each(PARENTS)('%j has the parent %s by %s', (asked, parent_pid, rule) => {
    const found = ask(asked);
    expect(found).toMatchObject({ status: 'parent', gnaf_pid: null, parent_pid, rule });
    expect(found.candidates[0]).toMatchObject({ gnaf_pid: parent_pid, rule });
    expect(found.score).toBeLessThan(0.8);
  });

  it('takes no parent for an address that is there, whatever speaks against it', () => {
    expect(ask({ text: `1/12 Smith St, ${F}` }, north(2_100))).toMatchObject({
      status: 'no_match',
      parent_pid: null,
    });
    expect(ask(`1/12 Smith St, ${F}`)).toMatchObject({ status: 'matched', gnaf_pid: 'P2', parent_pid: null });
    // The parcel is that of the building, and the unit is there.
    const ofBuilding = ask(`7/60-64 Smith St, ${F}`, { lot_plan: '1\\PS60' });
    expect(ofBuilding).toMatchObject({ status: 'no_match', rule: 'unit_absent' });
  });

  it.each([
    ['Fitzroy VIC 3065, 1/12 Smith St', 'P2'],
    ['Fitzroy VIC 3065: 12 Smith Street - contact agent', 'P1'],
    ['12 Smith St, 3065 Fitzroy', 'P1'],
    ['12 Smith St, 3065 Fitzroy, VIC', 'P1'],
    ['Flat 2 - 12 Smith St, Fitzroy 3065', 'P3'],
    ['Nicholson St North 8, Fitzroy North VIC', 'P28'],
    [`12 Smith St, U 2, ${F}`, 'P3'],
    [`1 Greenfield Raod, ${F}`, 'P22'],
  ])('reads %s in its order', (text, gnaf_pid) => {
    expect(ask(text)).toMatchObject({ status: 'matched', gnaf_pid });
  });

  it('carries its hints', () => {
    const found = ask(`70 Smith St, ${F}`);
    expect(found).toMatchObject({
      score: 1,
      margin: 0.05,
      runner_up: { gnaf_pid: 'P19', rule: 'range_end', score: 0.95 },
    });
    expect(found.candidates[0]!.label).toBe('70 SMITH STREET, FITZROY VIC 3065');
    expect(found.parsed).toMatchObject({
      number_first: '70',
      street: 'SMITH ST',
      locality: 'FITZROY',
      state: 'VIC',
    });
    expect(ask(`50 Smith St, ${F}`).candidates.map((each) => each.gnaf_pid)).toEqual(['P14', 'P15']);
  });

  it('counts rows that it cannot place', async () => {
    const lost = { ...TINY.addresses[0]!, gnaf_pid: 'X' };
    const gaps = async (source: Partial<IndexSource>) => (await tinyIndex({ ...TINY, ...source })).gaps;
    const addresses = [
      ...(TINY.addresses as never[]),
      { ...lost, street_pid: 'none' },
      { ...lost, locality_pid: 'none' },
    ] as never[];
    expect(await gaps({ addresses })).toEqual({ unknown_locality: 1, unknown_street: 1, unknown_address: 0 });
    expect(await gaps({ address_aliases: [{ alias_pid: 'none', principal_pid: 'P1' }] })).toMatchObject({
      unknown_address: 1,
    });
  });

  it('gives the same answers whatever the order of the rows', async () => {
    const random = seededRandom(3, 'order');
    const shuffled = Object.fromEntries(
      Object.entries(TINY).map(([name, rows]) => [
        name,
        (rows as readonly object[])
          .map((row) => ({ row, key: random.next() }))
          .sort((a, b) => a.key - b.key)
          .map(({ row }) => row),
      ]),
    ) as unknown as IndexSource;
    const other = await tinyIndex(shuffled);
    for (const [asked, , , hints] of [...MATCHED, ...NOT_MATCHED]) {
      const input = typeof asked === 'string' ? { text: asked } : asked;
      expect(matchAddress(other, input, hints)).toEqual(ask(asked, hints));
    }
  });

  it('answers any text without failing, and never matches below the threshold or without a lead', () => {
    const words = fc.constantFrom(
      '12',
      '1/12',
      '14-18',
      'Unit',
      'Lot',
      'St',
      'Smith',
      'Smtih',
      'Greenfield',
      'VIC',
      '3065',
      'Fitzroy',
      'North',
      ',',
      '(',
      '|',
      'Level',
      'Collingwood',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 12 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found = ask(text);
        if (found.status !== 'matched') return found.gnaf_pid === null;
        return found.score >= 0.8 && found.margin >= 0.04 && found.gnaf_pid === found.candidates[0]!.gnaf_pid;
      }),
      { seed: 2, numRuns: 1000 },
    );
  });
});

describe('candidates', () => {
  it('lists what a text may mean, best first', async () => {
    const index = await tinyIndex();
    const found = candidates(index, '12 Smith Street', 10);
    expect(found.map((each) => [each.gnaf_pid, each.rule])).toEqual(
      expect.arrayContaining([
        ['P1', 'no_locality'],
        ['P31', 'no_locality'],
        ['P32', 'no_locality'],
      ]),
    );
    expect(candidates(index, `16 Smith St, ${F}`, 10).map((each) => each.gnaf_pid)).toEqual(['P5']);
    expect(candidates(index, `30 Smith St, ${F}`, 1)).toHaveLength(1);
    expect(candidates(index, `30 Smith St, ${F}`, -1)).toEqual([]);
  });
});
