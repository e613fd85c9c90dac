import { beforeAll, describe, expect, it } from 'vitest';
import { buildAddressIndex } from '../../../transforms/address/match/build.ts';
import { latestRecords } from '../../../transforms/events/latest_record.ts';
import { EventMatcher, type EventPlace } from '../../../transforms/events/match_event.ts';
import { TINY } from '../address/tiny_index.ts';

const place = (given: Partial<EventPlace>): EventPlace => ({
  event_key: 'k',
  state: 'VIC',
  address: null,
  unit: null,
  number: null,
  street: null,
  suburb: null,
  postcode: null,
  lot_plan: null,
  given_pid: null,
  lon: null,
  lat: null,
  observed_at: null,
  ...given,
});

describe('the address of an event', () => {
  let matcher: EventMatcher;
  beforeAll(async () => {
    matcher = new EventMatcher(await buildAddressIndex(TINY));
  });
  const short = (given: Partial<EventPlace>) => {
    const { status, gnaf_pid, rule } = matcher.match(place(given));
    return [status, gnaf_pid, rule];
  };
  const TEXT = { address: '22 Smith Street, Fitzroy VIC 3065' };

  it('is found by its text, or by its fields where number and street are split', () => {
    expect(short(TEXT)).toEqual(['matched', 'P7', 'exact']);
    const split = { unit: '1', number: '12', street: 'Smith St', suburb: 'Fitzroy', postcode: '3065' };
    expect(short({ ...split, address: '12 Smith St, Fitzroy' })).toEqual(['matched', 'P2', 'exact']);
  });

  it('is the given id if the text is missing or leads to no address', () => {
    expect(short({ given_pid: 'P7' })).toEqual(['matched', 'P7', 'given_pid']);
    expect(short({ given_pid: ' P7 ', address: '1 Nowhere Lane, Atlantis' })).toEqual([
      'matched',
      'P7',
      'locality_unknown+given_pid',
    ]);
  });

  it('is confirmed by a given id, or chosen by it among candidates', () => {
    expect(short({ ...TEXT, given_pid: 'P7' })).toEqual(['matched', 'P7', 'exact+given_pid']);
    const unit = matcher.match(place({ address: '7/12 Smith Street, Fitzroy VIC 3065' }));
    expect(unit.status).not.toBe('matched');
    const [candidate] = unit.candidates as { gnaf_pid: string }[];
    const chosen = matcher.match(
      place({ address: '7/12 Smith Street, Fitzroy VIC 3065', given_pid: candidate!.gnaf_pid }),
    );
    expect(chosen).toMatchObject({ status: 'matched', gnaf_pid: candidate!.gnaf_pid, candidates: null });
    expect(chosen.score).toBeGreaterThanOrEqual(0.8);
  });

  it('is null for a unit or number missing from the register, whose parent is named instead', () => {
    const unit = matcher.match(place({ address: '9/12 Smith Street, Fitzroy VIC 3065' }));
    expect(unit).toMatchObject({ status: 'parent', gnaf_pid: null, parent_pid: 'P1', rule: 'unit_absent' });
    const inside = matcher.match(place({ address: '16 Smith Street, Fitzroy VIC 3065' }));
    expect(inside).toMatchObject({
      status: 'parent',
      gnaf_pid: null,
      parent_pid: 'P5',
      rule: 'inside_range',
    });
    expect(inside.candidates).not.toBeNull();
    const conflict = matcher.match(place({ address: '16 Smith Street, Fitzroy VIC 3065', given_pid: 'P7' }));
    expect(conflict).toMatchObject({ status: 'ambiguous', gnaf_pid: null, parent_pid: null });
  });

  it('is ambiguous if text and given id lead to different places', () => {
    const result = matcher.match(place({ ...TEXT, given_pid: 'P6' }));
    expect(result).toMatchObject({ status: 'ambiguous', gnaf_pid: null, rule: 'exact+given_pid_conflict' });
    expect((result.candidates as { gnaf_pid: string }[]).map(({ gnaf_pid }) => gnaf_pid)).toEqual(
      expect.arrayContaining(['P7', 'P6']),
    );
  });

  it('is not changed by an id that is unknown or retired, which the rule names', () => {
    expect(short({ ...TEXT, given_pid: 'P999' })).toEqual(['matched', 'P7', 'exact+given_pid_unknown']);
    expect(short({ ...TEXT, given_pid: 'P9' })).toEqual(['matched', 'P7', 'exact+given_pid_retired']);
    expect(short({ given_pid: 'P9' })).toEqual(['no_match', null, 'no_address+given_pid_retired']);
  });

  it('is missing without any text or id', () => {
    expect(matcher.match(place({}))).toMatchObject({ status: 'no_match', score: 0, candidates: [] });
  });
});

describe('records of one event', () => {
  it('are reduced to the one observed last, for any order of files', () => {
    const a = place({ address: 'a', observed_at: '2024-01-01T00:00:00Z' });
    const b = place({ address: 'b', observed_at: '2024-01-02T00:00:00Z' });
    const c = place({ address: 'c', observed_at: '2024-01-02T00:00:00Z' });
    expect(latestRecords([b, a])).toEqual([b]);
    expect(latestRecords([b, c])).toEqual(latestRecords([c, b]));
    expect(latestRecords([place({}), a])).toEqual([a]);
    expect(latestRecords([a, place({ event_key: 'other' })])).toHaveLength(2);
  });
});
