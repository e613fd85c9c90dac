import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { listingsAdapter } from '../../../sources/listings/adapter.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { type DatasetResult, readDataset } from '../read_dataset.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

const HEADER =
  'source,source_id,event_type,channel,event_date,address,state,suburb,postcode,price,price_text,price_period,bedrooms,parking,land_area_sqm,observed_at,features,lon,lat';
type Fields = Partial<Record<string, string>>;

const GOOD: Fields = {
  source: 'agency',
  source_id: 'A1',
  event_type: 'sold',
  channel: 'sale',
  event_date: '2026-03-04',
  address: '"7 Grattan Pl, Richmond VIC 3121"',
  state: 'VIC',
  price: '1250000',
};

/** A CSV of rows that differ from a good one. */
const csvOf = (...rows: Fields[]): string =>
  `${HEADER}\n${rows
    .map((row) =>
      HEADER.split(',')
        .map((name) => ({ ...GOOD, ...row })[name] ?? '')
        .join(','),
    )
    .join('\n')}\n`;

async function resultOf(
  files: Record<string, string | Uint8Array>,
  options: Record<string, unknown> = {},
): Promise<DatasetResult> {
  const folder = await releaseFolder();
  try {
    for (const [name, content] of Object.entries(files)) await folder.write(name, content);
    return await readDataset(listingsAdapter, await folder.dataset({ options }));
  } finally {
    await folder.remove();
  }
}

const codesOf = (result: DatasetResult): string[] => result.rejects.map(({ code, at }) => `${code} ${at}`);

adapterConformance('listings', async () => {
  const folder: ReleaseFolder = await releaseFolder();
  await folder.write(
    'a_2026-03-31.csv',
    csvOf({}, { source_id: 'A2', price: '-1' }, { observed_at: '2026-04-01' }),
  );
  const line = JSON.stringify({ ...GOOD, source_id: 'J1', address: '1 High St, Kew VIC' });
  await folder.write('b.ndjson.gz', gzipSync(`${line}\n{bad\n`));
  return { adapter: listingsAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('listing events', () => {
  it('end before the notes below the table', async () => {
    const commas = ','.repeat(HEADER.split(',').length - 1);
    const result = await resultOf({
      'a.csv': `${csvOf({}, { source_id: '', event_type: '' })}${commas}\nSource: Example Listings Pty Ltd\nCopyright of the agencies${commas}\n`,
    });
    expect(result.rowsOf(marketEventRecord)).toHaveLength(1);
    expect(result.rejects.map(({ at }) => at)).toEqual(['line 3']);
    expect(result.drops).toEqual({ footnote: 3 });
  });

  it('are read from CSV and NDJSON alike, a part for each file', async () => {
    const json = {
      ...GOOD,
      address: '7 Grattan Pl, Richmond VIC 3121',
      price: 1_250_000,
      features: ['natural_light', 'presence_of_pool', 'unheard_of'],
      extra: { deep: [1] },
    };
    const result = await resultOf({
      'a.csv': csvOf({ features: 'presence_of_pool; natural_light' }),
      'b.ndjson': `${JSON.stringify(json)}\n\n`,
      'c.ndjson.gz': gzipSync(`\ufeff${JSON.stringify(json)}\r\n`),
      'readme.txt': 'no delivery',
    });
    expect(result.parts).toEqual(['a.csv', 'b.ndjson', 'c.ndjson.gz']);
    expect(result.notes).toContain('readme.txt: neither .csv nor .ndjson; it is not read.');
    expect(result.rejects).toEqual([]);
    const rows = result.rowsOf(marketEventRecord);
    expect(rows).toHaveLength(3);
    for (const row of rows)
      expect(row).toMatchObject({
        event_key: 'fixture|agency|A1|sold|2026-03-04',
        state: 'VIC',
        address: '7 Grattan Pl, Richmond VIC 3121',
        price: 1_250_000,
        features: ['natural_light', 'presence_of_pool'],
        channel: 'sale',
      });
    expect(rows.map(({ file }) => file)).toEqual(['a.csv', 'b.ndjson', 'c.ndjson.gz']);
    expect(new Set(rows.map(({ month_partition }) => month_partition)).size).toBe(1);
  });

  it('use the latest observation if a file repeats an event', async () => {
    const result = await resultOf({
      'a.csv': csvOf(
        { observed_at: '2026-03-05T10:00:00+10:00', price: '1' },
        { observed_at: '2026-03-05T09:00:00Z', price: '1300000' },
        { price: '1100000' },
        { source_id: 'B', price: '500000' },
        { source_id: 'B', price: '600000' },
        { source_id: 'B', price: '-600000' },
      ),
    });
    expect(result.rowsOf(marketEventRecord).map(({ source_id, price }) => [source_id, price])).toEqual([
      ['A1', 1_300_000],
      ['B', 600_000],
    ]);
    expect(result.drops).toEqual({ superseded: 3 });
    expect(codesOf(result)).toEqual(['bad_price line 7']);
  });

  it.each<[what: string, row: Fields, code: string]>([
    ['an unknown type', { event_type: 'auctioned' }, 'bad_code'],
    ['no type', { event_type: '' }, 'bad_code'],
    ['a sale that is a rent', { channel: 'rent' }, 'bad_code'],
    ['a listing of no channel', { event_type: 'listed', channel: '' }, 'bad_code'],
    ['no identifier', { source_id: '' }, 'missing_key'],
    ['a long identifier', { source_id: 'x'.repeat(201) }, 'bad_value'],
    ['a long address', { address: 'x'.repeat(1001) }, 'bad_value'],
    ['no date', { event_date: '' }, 'bad_date'],
    ['no such day', { event_date: '31/02/2026' }, 'bad_date'],
    ['no such time', { observed_at: 'yesterday' }, 'bad_date'],
    ['a future', { observed_at: '2026-03-02T00:00:00Z' }, 'future_date'],
    ['no address', { address: '' }, 'missing_address'],
    ['a negative price', { price: '-1' }, 'bad_price'],
    ['an absurd price', { price: '99999999999' }, 'bad_price'],
    ['a price for a rent', { event_type: 'leased', channel: 'rent' }, 'bad_rent'],
    [
      'a rent by the night',
      { event_type: 'leased', channel: 'rent', price: '300', price_period: 'night' },
      'bad_rent',
    ],
    ['bytes that are no text', { address: '7 Caf\ufffd St' }, 'bad_encoding'],
  ])('with %s is rejected', async (_, row, code) => {
    const result = await resultOf({ 'a.csv': csvOf(row, { source_id: 'good' }) });
    expect(codesOf(result)).toEqual([`${code} line 2`]);
    expect(result.rowsOf(marketEventRecord)).toHaveLength(1);
  });

  it('are judged as future by the date in the file name or as_of, never by the clock', async () => {
    const rows = csvOf({ event_date: '2031-01-01' });
    expect((await resultOf({ 'a.csv': rows })).rejects).toEqual([]);
    expect(codesOf(await resultOf({ 'a_2026-03-31.csv': rows }))).toEqual(['future_date line 2']);
    expect(codesOf(await resultOf({ 'a.csv': rows }, { as_of: '2030-12-30' }))).toEqual([
      'future_date line 2',
    ]);
    expect(codesOf(await resultOf({ 'a.csv': rows }, { as_of: '2030-12-31' }))).toEqual([]);
  });

  it('read ambiguous dates by the option, and note how many', async () => {
    const rows = csvOf({ event_date: '4/3/2026' }, { source_id: 'B', event_date: '13/3/2026' });
    const result = await resultOf({ 'a.csv': rows }, { date_order: 'mdy' });
    expect(result.rowsOf(marketEventRecord).map(({ event_date }) => event_date)).toEqual([
      '2026-04-03',
      '2026-03-13',
    ]);
    expect(result.notes).toEqual([
      'a.csv: 1 dates are invalid as month/day/year and were read the other way round; 1 are ambiguous and were read as month/day/year (option date_order).',
    ]);
  });

  it('keep prices apart by kind', async () => {
    const rent = { event_type: 'leased', channel: 'rent', price: '' };
    const result = await resultOf({
      'a.csv': csvOf(
        { source_id: '1', price: '1' },
        { source_id: '2', event_type: 'listed', price: '1' },
        { source_id: '3', event_type: 'listed', price: '', price_text: '"$1.2m - $1.3m"' },
        { source_id: '4', price: '0' },
        { source_id: '5', ...rent, price_text: '"$3,250 pcm"' },
        { source_id: '6', ...rent, price: '1500', price_period: 'fortnight' },
        { source_id: '7', price: '"$1,250,000"' },
        { source_id: '8', price: 'Contact agent' },
      ),
    });
    expect(
      result
        .rowsOf(marketEventRecord)
        .map((row) => [row.price, row.price_low, row.price_high, row.no_evidence, row.price_text]),
    ).toEqual([
      [1, null, null, 'nominal', null],
      [null, null, null, null, null],
      [null, 1_200_000, 1_300_000, null, '$1.2m - $1.3m'],
      [null, null, null, 'nominal', null],
      [750, null, null, null, '$3,250 pcm'],
      [750, null, null, null, null],
      [1_250_000, null, null, null, null],
      [null, null, null, null, 'Contact agent'],
    ]);
  });

  it('report every invalid number, time, text and column as a reject or an error', async () => {
    const rejects = ['NaN', 'Infinity', '-inf', '0x10', '٧٠٠٠٠٠', '$１２３'].map((price, i) => ({
      source_id: `p${i}`,
      price,
    }));
    const result = await resultOf({
      'a.csv': csvOf(
        ...rejects,
        { source_id: 't', event_date: '2026-03-02 25:61:00' },
        { source_id: 'a\0b' },
        { source_id: 'zero', price: '0' },
        { source_id: 'good' },
      ),
      'b.ndjson': Buffer.from(
        `${JSON.stringify({ source_id: 'n\0l', event_type: 'sold', event_date: '2026-03-02', address: '1 A St VIC' })}\n`,
      ),
    });
    expect(result.rejects.map(({ code }) => code)).toEqual([
      ...rejects.map(() => 'bad_price'),
      'bad_date',
      'bad_encoding',
      'bad_encoding',
    ]);
    expect(result.rowsOf(marketEventRecord).map(({ source_id }) => source_id)).toEqual(['zero', 'good']);
    expect(result.notes.join()).toMatch(/price 1/);
    const text = csvOf({}).toString();
    const wide = (mark: number[]) => Buffer.concat([Buffer.from(mark), Buffer.from(text, 'utf16le')]);
    await expect(resultOf({ 'a.csv': wide([0xff, 0xfe]) })).rejects.toMatchObject({ code: 'bad_encoding' });
    await expect(resultOf({ 'a.csv': wide([]) })).rejects.toMatchObject({ code: 'bad_encoding' });
    await expect(resultOf({ 'a.ndjson': wide([0xff, 0xfe]) })).rejects.toMatchObject({
      code: 'bad_encoding',
    });
    const doubled = text.replace('source_id', 'source_id,Source_ID').replaceAll('\n', ',x\n');
    await expect(resultOf({ 'a.csv': Buffer.from(doubled) })).rejects.toMatchObject({
      code: 'repeated_column',
    });
  });

  it('count impossible attributes, and read them as null', async () => {
    const result = await resultOf({
      'a.csv': csvOf({
        bedrooms: '-3',
        parking: '900',
        land_area_sqm: 'NaN',
        lon: '0',
        lat: '0',
        postcode: '31',
      }),
    });
    expect(result.rowsOf(marketEventRecord)[0]).toMatchObject({
      bedrooms: null,
      parking: null,
      land_area_sqm: null,
      lon: null,
      lat: null,
      postcode: null,
    });
    expect(result.notes[0]).toContain('bedrooms 1, lon, lat 1, parking 1, postcode 1');
  });

  it('infer the state from the address if the column is empty', async () => {
    const result = await resultOf({
      'a.csv': csvOf(
        { source_id: '1', state: '' },
        { source_id: '2', state: 'New South Wales' },
        { source_id: '3', state: '', address: '1 High St' },
      ),
    });
    expect(result.rowsOf(marketEventRecord).map(({ state }) => state)).toEqual(['VIC', 'NSW', null]);
  });

  it('set broken lines aside', async () => {
    const text = `${csvOf({})}a,b\n`;
    expect(codesOf(await resultOf({ 'a.csv': text }))).toEqual(['short_row line 3']);
    const lines = `[1]\n{"source":\nnull\n"x"\n${JSON.stringify({ ...GOOD, address: 'x', price: Number.MAX_VALUE })}\n`;
    expect(codesOf(await resultOf({ 'a.ndjson': lines }))).toEqual([
      'bad_json line 1',
      'bad_json line 2',
      'bad_json line 3',
      'bad_json line 4',
      'bad_price line 5',
    ]);
  });

  it('in another encoding are rejected row by row', async () => {
    const bytes = Buffer.from(csvOf({ address: '7 Caf\xe9 St' }, { source_id: 'B' }), 'latin1');
    const result = await resultOf({ 'a.csv': bytes });
    expect(codesOf(result)).toEqual(['bad_encoding line 2']);
    expect(result.rowsOf(marketEventRecord)).toHaveLength(1);
  });

  it('need their columns, and files', async () => {
    await expect(resultOf({ 'a.csv': 'source,event_type\n' })).rejects.toMatchObject({
      code: 'missing_column',
    });
    await expect(resultOf({ 'a.txt': 'x' })).rejects.toMatchObject({ code: 'missing_file' });
    await expect(resultOf({ 'a.csv.gz': 'not packed' })).rejects.toMatchObject({ code: 'bad_archive' });
    await expect(resultOf({ 'a.csv': csvOf({}) }, { date_order: 'ymd' })).rejects.toMatchObject({
      code: 'bad_option',
    });
  });

  it('make each file of a folder a separate part', async () => {
    const folder = await releaseFolder();
    try {
      const first = await folder.write('a.csv', csvOf({}));
      const second = await folder.write('b.csv', csvOf({ source_id: 'B' }));
      const { release, parts } = await listingsAdapter.discover(await folder.dataset());
      expect(parts.map(({ files }) => files)).toEqual([[first], [second]]);
      const [a, b] = await Promise.all(parts.map((part) => readPart(listingsAdapter, release, part)));
      expect([a!.accounts.length, b!.accounts.length]).toEqual([1, 1]);
    } finally {
      await folder.remove();
    }
  });
});
