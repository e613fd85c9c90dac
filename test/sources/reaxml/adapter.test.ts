import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { reaxmlAdapter } from '../../../sources/reaxml/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import { type DatasetResult, readDataset } from '../read_dataset.ts';
import { releaseFolder } from '../release_folder.ts';

const file = (...elements: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE propertyList SYSTEM "http://example.test/propertyList.dtd">\n<propertyList date="2026-01-01-12:30:00">\n${elements.join('\n')}\n</propertyList>\n`;

const WHOLE = `<residential modTime="2026-01-10-09:00:00" status="current"><agentID>AG</agentID><uniqueID>1</uniqueID><underOffer value="no"/>
<price display="yes">800000</price><priceView>Offers over $800,000</priceView>
<address display="yes"><subNumber>2</subNumber><streetNumber>39</streetNumber><street>Main Road</street><suburb display="no">RICHMOND</suburb><state>vic</state><postcode>3121</postcode></address>
<category name="DuplexSemi-detached"/><description><![CDATA[Don't pay the rent &nbsp; here!]]></description>
<features><bedrooms>4</bedrooms><bathrooms>2.5</bathrooms><ensuite>1</ensuite><garages>2</garages><carports>1</carports><openSpaces>0</openSpaces><pool>yes</pool></features>
<landDetails><area unit="acre">0.25</area><frontage unit="meter">20</frontage></landDetails><buildingDetails><area unit="square">20</area></buildingDetails></residential>`;
const SOLD = `<residential modTime="2026-03-01-10:00:00" status="sold"><agentID>AG</agentID><uniqueID>1</uniqueID><soldDetails><price display="yes">870000</price><date>20260228</date></soldDetails></residential>`;
const RENTAL = `<rental modTime="20260105-101500" status="current"><agentID>AG</agentID><uniqueID>7</uniqueID><rent period="month" display="yes">3250</rent><rent period="weekly">740</rent><bond>3000</bond><address><streetNumber>5</streetNumber><street>High St</street><suburb>Kew</suburb><state>VIC</state></address><category name="Flat"/></rental>`;
const LEASED =
  '<rental modTime="2026-02-01" status="leased"><agentID>AG</agentID><uniqueID>7</uniqueID></rental>';

async function resultOf(
  files: Record<string, string | Uint8Array>,
  options: Record<string, unknown> = {},
): Promise<DatasetResult> {
  const folder = await releaseFolder();
  try {
    for (const [name, content] of Object.entries(files)) await folder.write(name, content);
    return await readDataset(reaxmlAdapter, await folder.dataset({ options }));
  } finally {
    await folder.remove();
  }
}

const eventsOf = (result: DatasetResult) =>
  result
    .rowsOf(marketEventRecord)
    .map((row) => `${row.source_id} ${row.event_type} ${row.event_date} ${row.price}`);
const codesOf = (result: DatasetResult): string[] => result.rejects.map(({ code, at }) => `${code} ${at}`);

adapterConformance('reaxml', async () => {
  const folder = await releaseFolder();
  await folder.write('a.xml', file(WHOLE, RENTAL, '<agent/>', '<residential status="current"/>'));
  await folder.write('b.xml.gz', gzipSync(file(SOLD, LEASED)));
  return { adapter: reaxmlAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('REAXML', () => {
  it('a hidden address appears in no event, not even of earlier elements', async () => {
    const hidden = WHOLE.replace(
      '<address display="yes">',
      '<address display="no"><latitude>-37.8</latitude>',
    );
    const later = SOLD.replace('<soldDetails>', '<address display="no"/><soldDetails>');
    const deliveries: Record<string, string>[] = [
      { 'a.xml': file(hidden) },
      { 'a.xml': file(WHOLE), 'b.xml': file(later) },
    ];
    for (const files of deliveries) {
      const result = await resultOf(files);
      expect(result.rejects).toEqual([]);
      const rows = result.rowsOf(marketEventRecord);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row).toMatchObject({ suburb: 'RICHMOND', unit: null, number: null, street: null, lon: null });
        expect(JSON.stringify(row)).not.toMatch(/Main Road/i);
      }
    }
  });

  it('a time with an offset keeps its local day', async () => {
    const at = (time: string): string => WHOLE.replace('2026-01-10-09:00:00', time);
    for (const [time, day] of [
      ['2024-03-12T08:00:00+11:00', '2024-03-12'],
      ['2024-03-12T20:00:00-05:00', '2024-03-12'],
      ['2024-03-12T08:00:00Z', '2024-03-12'],
    ] as const) {
      const [row] = (await resultOf({ 'a.xml': file(at(time)) })).rowsOf(marketEventRecord);
      expect([time, row!.event_date]).toEqual([time, day]);
    }
  });

  it('a listing and its sale in another file with ids alone are merged', async () => {
    // the sale is in the file that is read first
    const result = await resultOf({ 'a.xml': file(SOLD), 'b.xml': file(WHOLE) });
    expect(result.rejects).toEqual([]);
    const rows = result.rowsOf(marketEventRecord);
    expect(rows).toHaveLength(2);
    const home = {
      source_id: 'AG/1',
      state: 'VIC',
      unit: '2',
      number: '39',
      street: 'Main Road',
      suburb: 'RICHMOND',
      postcode: '3121',
      bedrooms: 4,
      bathrooms: 2,
      parking: 3,
      property_type: 'duplex',
      land_area_sqm: 1011.71,
      floor_area_sqm: 185.81,
      features: ['presence_of_ensuite', 'presence_of_pool'],
    };
    expect(rows[0]).toMatchObject({
      ...home,
      event_type: 'listed',
      event_date: '2026-01-10',
      price: 800_000,
      file: 'b.xml',
    });
    expect(rows[1]).toMatchObject({
      ...home,
      event_type: 'sold',
      event_date: '2026-02-28',
      price: 870_000,
      file: 'a.xml',
    });
    expect(rows[0]!.description).toBe("Don't pay the rent &nbsp; here!");
  });

  it('weekly rent precedes monthly rent, and a lease has the rent of its listing', async () => {
    const result = await resultOf({ 'a.xml': file(RENTAL, LEASED) });
    expect(eventsOf(result)).toEqual(['AG/7 listed 2026-01-05 740', 'AG/7 leased 2026-02-01 740']);
    const monthly = RENTAL.replace('<rent period="weekly">740</rent>', '');
    expect(eventsOf(await resultOf({ 'a.xml': file(monthly) }))).toEqual(['AG/7 listed 2026-01-05 750']);
  });

  it('statuses become events, repeats are merged, and empty elements overwrite nothing', async () => {
    const update = (time: string, status: string, inner = ''): string =>
      `<residential modTime="${time}" status="${status}"><agentID>AG</agentID><uniqueID>1</uniqueID>${inner}</residential>`;
    const result = await resultOf({
      'a.xml': file(
        WHOLE,
        update('2026-01-11', 'current', '<price></price><features><bedrooms/></features>'),
        update('2026-01-20', 'current', '<price>780000</price>'),
        update('2026-01-25', 'current', '<underOffer value="yes"/>'),
        update('2026-02-01', 'withdrawn'),
        update('2026-02-02', 'offmarket'),
        update('2026-04-01', 'current'),
        update(
          '2026-05-01',
          'sold',
          '<soldDetails><price display="no">1</price><date>2026-04-30</date></soldDetails>',
        ),
        update('2026-05-09', 'sold', '<soldDetails><price>790000</price></soldDetails>'),
      ),
    });
    expect(result.rejects).toEqual([]);
    expect(eventsOf(result)).toEqual([
      'AG/1 listed 2026-01-10 800000',
      'AG/1 price_changed 2026-01-20 780000',
      'AG/1 under_offer 2026-01-25 780000',
      'AG/1 withdrawn 2026-02-02 780000',
      'AG/1 listed 2026-04-01 780000',
      'AG/1 sold 2026-04-30 null',
    ]);
    expect(result.rowsOf(marketEventRecord).every(({ bedrooms }) => bedrooms === 4)).toBe(true);
    const [own, merged] = result.accounts;
    expect(own).toMatchObject({ table: 'market_event', rows_in: 6, records: 6 });
    expect(merged).toMatchObject({ table: null, rows_in: 3, records: 3 });
  });

  it('elements that are no listing of a home are dropped, and broken ones rejected', async () => {
    const element = (attributes: string, inner: string): string =>
      `<residential ${attributes}>${inner}</residential>`;
    const ids = '<agentID>AG</agentID><uniqueID>9</uniqueID>';
    const result = await resultOf({
      'a.xml': file(
        '<business status="current"><uniqueID>1</uniqueID></business>',
        '<holidayRental status="current"><uniqueID>2</uniqueID></holidayRental>',
        '<banner/>',
        element('modTime="2026-01-01" status="current"', '<agentID>AG</agentID>'),
        element('modTime="2026-01-01" status="gone"', ids),
        element('modTime="2026-01-01" status="sold"', '<uniqueID>8</uniqueID>'),
        element(
          'modTime="2026-01-01" status="current"',
          `<uniqueID>3</uniqueID><description>${'x'.repeat(200_001)}</description>`,
        ),
      ),
    });
    expect(result.drops).toEqual({ not_a_home: 2, not_a_listing: 1 });
    expect(codesOf(result)).toEqual([
      'missing_key line 7',
      'bad_code line 8',
      'feature_too_large line 10',
      'missing_address line 9',
    ]);
    const undated = file(element('status="current"', ids)).replace(/date="[^"]*"/, 'date="soon"');
    expect(codesOf(await resultOf({ 'a.xml': undated }))).toEqual(['bad_date line 4']);
  });

  it.each<[what: string, content: string]>([
    ['cut', file(WHOLE).slice(0, 500)],
    ['not well formed', file('<residential><a></b></residential>')],
    ['of another root', '<html></html>'],
    ['empty', ''],
    ['nested too deep', file(`${'<a>'.repeat(60)}${'</a>'.repeat(60)}`)],
    ['one endless text', file(`<residential>${'x'.repeat(9 << 20)}</residential>`)],
  ])('a file that is %s is an error that names it', async (_, content) => {
    await expect(resultOf({ 'bad.xml': content })).rejects.toMatchObject({
      code: 'bad_xml',
      message: expect.stringContaining('bad.xml'),
    });
  });

  it('entities are neither expanded nor opened', async () => {
    const bomb = `<!DOCTYPE propertyList [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const text = `${bomb}<propertyList>${WHOLE.replace('Main Road', '&b;&x;Main Road')}</propertyList>`;
    const [row] = (await resultOf({ 'a.xml': text })).rowsOf(marketEventRecord);
    expect(row!.street).toBe('&b;&x;Main Road');
  });

  it('windows-1252 is read if the file declares it, else rejected', async () => {
    const text = file(WHOLE.replace('Main Road', 'Caf\xe9 Road'));
    const declared = Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1');
    expect((await resultOf({ 'a.xml': declared })).rowsOf(marketEventRecord)[0]!.street).toBe('Café Road');
    expect(codesOf(await resultOf({ 'a.xml': Buffer.from(text, 'latin1') }))).toEqual([
      'bad_encoding line 4',
    ]);
  });
});
