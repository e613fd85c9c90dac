import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressIndexStage } from '../../../../pipelines/stages/events/address_index.ts';
import { eventMatchStage } from '../../../../pipelines/stages/events/event_match.ts';
import { matchStateStage } from '../../../../pipelines/stages/events/match_state.ts';
import { matchedEventStage } from '../../../../pipelines/stages/events/matched_event.ts';
import { serveListingStage } from '../../../../pipelines/stages/events/serve_listing.ts';
import { serveMatchReviewStage } from '../../../../pipelines/stages/events/serve_match_review.ts';
import { servePropertyEventStage } from '../../../../pipelines/stages/events/serve_property_event.ts';
import { eventBucket } from '../../../../schema/event_bucket.ts';
import { statePartition } from '../../../../schema/state_partition.ts';
import { buildSections } from '../../../../transforms/address/match/build.ts';
import { type Chunk, SectionsReader } from '../../../../transforms/address/match/chunks.ts';
import { EventMatcher } from '../../../../transforms/events/match_event.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { TINY, tinyIndex } from '../../../transforms/address/tiny_index.ts';
import { fact } from '../../../transforms/events/facts.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

const BUCKET = eventBucket('VIC', '2026-05-01');
const event = (event_key: string, given: object = {}) => ({
  event_key,
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
  features: null,
  description: null,
  source: 'agency',
  source_id: event_key,
  event_type: 'sold',
  event_date: '2026-05-01',
  price: 1,
  ...given,
});

it('matches against each state with localities, and against none stated if an event states none', () => {
  expect(computed(matchStateStage, {}, -1, ['VIC', null]).rows).toEqual([
    { state_partition: statePartition('VIC'), state: 'VIC' },
    { state_partition: statePartition(null), state: null },
  ]);
});

it('matches the latest record of each event, and none where no address is loaded', async () => {
  const known = { number: '20A', street: 'Smith Street', suburb: 'Fitzroy' };
  const events = [
    event('a', { ...known, street: 'Nowhere Street', observed_at: '2026-01-01T00:00:00Z' }),
    event('a', { ...known, observed_at: '2026-01-02T00:00:00Z' }),
    event('b', { given_pid: 'P7' }),
  ];
  const { rows, account } = computed(
    eventMatchStage,
    { event: events },
    BUCKET,
    new EventMatcher(await tinyIndex()),
  );
  expect(rows).toMatchObject([
    { event_key: 'a', month_partition: BUCKET, status: 'matched', gnaf_pid: 'P6' },
    { event_key: 'b', status: 'matched', gnaf_pid: 'P7' },
  ]);
  expect(account).toEqual({ in: 3, out: 2, drops: { superseded: 1 } });
  const none = computed(eventMatchStage, { event: events }, BUCKET, null).rows;
  expect(none.map(({ gnaf_pid }) => gnaf_pid)).toEqual([null, null]);
});

it('stores the index of a state in pieces, from which it is opened again', async () => {
  const sections = await buildSections(TINY);
  const given = { state: [{ state: 'VIC' }] };
  const { rows } = computed(addressIndexStage, given, statePartition('VIC'), sections);
  const reader = new SectionsReader();
  for (const chunk of rows) reader.add(chunk as unknown as Chunk);
  expect(reader.finish()).toEqual(sections);
  expect(rows.map(({ no }) => no)).toEqual(rows.map((_, i) => i));
  expect(computed(addressIndexStage, given, statePartition('VIC'), null).account).toEqual({
    in: 1,
    out: 0,
    drops: { no_addresses_of_state: 1 },
  });
});

const match = (event_key: string, status: string, gnaf_pid: string | null = null) => ({
  event_key,
  status,
  gnaf_pid,
  parent_pid: null,
  rule: 'r',
  score: 0.9,
  margin: 0.1,
  candidates: null,
});
const matches = [
  match('a', 'matched', 'P1'),
  match('b', 'matched', 'retired'),
  match('c', 'ambiguous'),
  match('d', 'parent'),
  match('e', 'unmatched'),
];
const events = matches.map(({ event_key }) =>
  event(event_key, { unit: '1', number: '2', street: 'High St', suburb: 'Kew', features: ['pool'] }),
);

it('takes a matched event to the home cell of its address', () => {
  const { rows, account } = computed(
    matchedEventStage,
    { match: matches, event: events, address: [{ gnaf_pid: 'P1', cell: 9 }] },
    BUCKET,
  );
  expect(rows).toMatchObject([
    { event_key: 'a', home: 9, month_partition: BUCKET, gnaf_pid: 'P1', price: 1, rule: 'r' },
  ]);
  expect(account).toEqual({
    in: 5,
    out: 1,
    drops: { match_not_served: 1, ambiguous: 1, parent: 1, no_match: 1 },
  });
});

it('lists the events without one certain address for review', () => {
  const { rows, account } = computed(serveMatchReviewStage, { match: matches, event: events }, BUCKET);
  expect(rows.map(({ event_key, status }) => [event_key, status])).toEqual([
    ['c', 'ambiguous'],
    ['d', 'parent'],
    ['e', 'unmatched'],
  ]);
  expect(rows[0]).toMatchObject({
    address: '1/2 High St Kew VIC',
    month_partition: BUCKET,
    source: 'agency',
  });
  expect(account).toEqual({ in: 5, out: 3, drops: { matched: 2 } });
});

it('serves every real event of a property once, priced sales as evidence', () => {
  const of = { gnaf_pid: 'P1' };
  const sold = { ...of, event_type: 'sold', event_date: '2024-02-03' } as const;
  const { rows, account } = computed(
    servePropertyEventStage,
    {
      property: [
        { ...of, state: 'VIC', sa2: '2', sa3: '20' },
        { gnaf_pid: 'P2', state: 'VIC', sa2: null, sa3: null },
      ],
      event: [
        fact({ ...sold, source: 'one', price: 500_000 }),
        fact({ ...sold, source: 'two', price: 500_000 }),
        fact({ ...of, event_type: 'sold', event_date: '2020-02-03' }),
      ],
    },
    9,
  );
  expect(rows).toMatchObject([
    { ...of, cell: 9, sa2: '2', type: 'Sold', date: '2024-02-03', price: 500_000, is_evidence: true },
    { ...of, date: '2020-02-03', price: null, is_evidence: false },
  ]);
  expect(rows).toHaveLength(2);
  expect(account).toEqual({ in: 2, out: 1, drops: { no_event: 1 } });
});

it('serves the latest current listing of each kind, with the type that was advertised', async () => {
  const listing = (event_id: string, type: string, date: string, given: object = {}) => ({
    gnaf_pid: 'P1',
    event_id,
    type,
    date,
    last_date: date,
    ...given,
  });
  const rows = await statementRows(database, serveListingStage, {
    event: [
      listing('a', 'For Sale', '2026-04-01'),
      listing('b', 'For Sale', '2026-05-01', { price: 7 }),
      listing('c', 'For Sale', '2026-05-02', { end_date: '2026-05-03' }),
      listing('d', 'For Rent', '2026-01-01'),
      listing('e', 'For Rent', '2026-05-01'),
      listing('f', 'Sold', '2026-05-01'),
    ],
    property: [{ gnaf_pid: 'P1', cell: 9, state: 'VIC', address: 'A', dwelling_type: 'house' }],
    basics: [{ gnaf_pid: 'P1', bedrooms: 3, dwelling_type: 'unit' }],
    region: [{ gnaf_pid: 'P1', lga: '7', poa: '8' }],
    day: [{ as_of: '2026-05-01' }],
  });
  expect(rows.sort((a, b) => (String(a.type) < String(b.type) ? -1 : 1))).toMatchObject([
    { event_id: 'e', type: 'For Rent', lga: '7', poa: '8' },
    { event_id: 'b', type: 'For Sale', price: 7, bedrooms: 3, dwelling_type: 'unit', cell: 9, address: 'A' },
  ]);
  expect(rows).toHaveLength(2);
});
