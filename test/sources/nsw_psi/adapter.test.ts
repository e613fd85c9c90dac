import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { nswPsiAdapter } from '../../../sources/nsw_psi/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import { type DatasetResult, readDataset } from '../read_dataset.ts';
import { releaseFolder } from '../release_folder.ts';

async function zipOf(members: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  return buffer(zip.outputStream);
}

type Sale = Partial<{
  property: string;
  counter: string;
  time: string;
  unit: string;
  house: string;
  area: string;
  type: string;
  contract: string;
  settlement: string;
  price: string;
  nature: string;
  purpose: string;
  strata: string;
  interest: string;
  dealing: string;
}>;

/** A, B, C, D rows and Z of sales; `legal` rows follow each sale. */
function dat(
  sales: readonly Sale[],
  legal: readonly string[] = ['12/753816'],
  head = 'A;RTSALEDATA;001;20240108 01:00;VALNET;',
): string {
  const lines = [head];
  for (const sale of sales) {
    const s = {
      property: '77',
      counter: '1',
      time: '20240108 01:00',
      unit: '',
      house: '12A',
      area: '0.5',
      type: 'H',
      contract: '20231201',
      settlement: '20240105',
      price: '900000',
      nature: 'R',
      purpose: 'RESIDENCE',
      strata: '',
      interest: '0',
      dealing: 'AT1',
      ...sale,
    };
    lines.push(
      `B;001;${s.property};${s.counter};${s.time};;${s.unit};${s.house};CHURCH ST;NOWRA;2541;${s.area};${s.type};${s.contract};${s.settlement};${s.price};R2;${s.nature};${s.purpose};${s.strata};AAA;;${s.interest};${s.dealing};`,
    );
    const ids = s.property === '' ? `001;${s.counter}` : `001;${s.property};${s.counter}`;
    for (const text of legal) lines.push(`C;${ids};${s.time};${text};`);
    for (const party of ['P', 'V']) lines.push(`D;${ids};${s.time};${party};;;;;;`);
  }
  const [b, c, d] = ['B', 'C', 'D'].map((letter) => lines.filter((line) => line.startsWith(letter)).length);
  lines.push(`Z;${lines.length + 1};${b};${c};${d};`);
  return `${lines.join('\r\n')}\r\n`;
}

const ARCHIVE = `A;;VALNET1;20010630 01:00;;
B;001;VALNET1;0010008803;8803;3;12;CHURCH ST;NOWRA;2541;05/02/1996;145000;LOT 3 SP 65328;0;;;AAA;A;;;;
B;001;ARCHIVE;0010008804;;;14;CHURCH ST;NOWRA;2541;31/02/1996;145000;L 4;650;M;;AAA;A;;;;
Z;4;2;;
`;

async function resultOf(files: Record<string, string | Uint8Array>): Promise<DatasetResult> {
  const folder = await releaseFolder();
  try {
    for (const [name, content] of Object.entries(files)) await folder.write(name, content);
    return await readDataset(nswPsiAdapter, await folder.dataset());
  } finally {
    await folder.remove();
  }
}
const codesOf = (result: DatasetResult): string[] => result.rejects.map(({ code, at }) => `${code} ${at}`);
const rowsOf = (result: DatasetResult) => result.rowsOf(marketEventRecord);

adapterConformance('nsw_psi', async () => {
  const folder = await releaseFolder();
  const week = await zipOf({
    '001_SALES_DATA_NNME_08012024.DAT': dat([{}, { dealing: 'AT2', contract: 'x' }]),
  });
  await folder.write('2024.zip', await zipOf({ '20240108.zip': week }));
  await folder.write('archive.DAT', ARCHIVE);
  return { adapter: nswPsiAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('NSW property sales', () => {
  it('are read from zips in zips; each row is accounted to its file of a district', async () => {
    const week = await zipOf({ '001_SALES_DATA_NNME_08012024.DAT': dat([{}]), 'readme.txt': 'x' });
    const year = await zipOf({ '20240108.zip': week });
    const result = await resultOf({ 'all.zip': await zipOf({ '2024.zip': year }) });
    expect(result.accounts.map(({ file, rows_in, records }) => [file, rows_in, records])).toEqual([
      ['all.zip › 2024.zip › 20240108.zip › 001_SALES_DATA_NNME_08012024.DAT', 1, 1],
    ]);
    expect(rowsOf(result)[0]).toMatchObject({
      event_key: 'fixture|nsw_vg|AT1/77/|sold|2023-12-01',
      event_type: 'sold',
      channel: 'sale',
      event_date: '2023-12-01',
      settlement_date: '2024-01-05',
      observed_at: '2024-01-08T01:00:00Z',
      state: 'NSW',
      number: '12A',
      street: 'CHURCH ST',
      suburb: 'NOWRA',
      postcode: '2541',
      lot_plan: '12/753816',
      price: 900_000,
      no_evidence: null,
      dealing_id: 'AT1',
      property_type: 'house',
      land_area_sqm: 5000,
      file: 'all.zip',
    });
  });

  it('keep each unit of a dealing as a separate sale, marked multi_property', async () => {
    const units = ['1', '2', '3'].map(
      (unit): Sale => ({ unit, house: '100', counter: unit, price: '780000' }),
    );
    const rows = rowsOf(await resultOf({ 'a.DAT': dat(units) }));
    expect(rows.map(({ unit, price, no_evidence }) => [unit, price, no_evidence])).toEqual(
      ['1', '2', '3'].map((unit) => [unit, 780_000, 'multi_property']),
    );
  });

  it('keep the more complete of two rows of one sale, in either order', async () => {
    const [full, bare]: Sale[] = [{ house: '23' }, { house: '', purpose: '' }];
    for (const sales of [
      [full!, bare!],
      [bare!, full!],
    ]) {
      const result = await resultOf({ 'a.DAT': dat(sales) });
      expect(rowsOf(result).map(({ number }) => number)).toEqual(['23']);
      expect(result.accounts[0]).toMatchObject({ rows_in: 2, records: 1, drops: { superseded: 1 } });
    }
  });

  it('are read from files of 2001 to 2011, without a file type or a property id', async () => {
    const text = dat(
      [{ property: '', strata: '2', area: '', type: 'U' }],
      ['2//SP 65444'],
      'A;136;20010720 09:51;VALNET;',
    );
    const [row] = rowsOf(await resultOf({ 'a.DAT': text }));
    expect(row).toMatchObject({
      lot_plan: '2//SP65444',
      property_type: 'unit',
      land_area_sqm: null,
      source_id: 'AT1//2',
    });
  });

  it('are read from the archive, with slashed dates and no dealing', async () => {
    const result = await resultOf({ 'archive.DAT': ARCHIVE });
    expect(codesOf(result)).toEqual(['bad_date line 3']);
    expect(rowsOf(result)).toMatchObject([
      {
        event_date: '1996-02-05',
        unit: '3',
        number: '12',
        price: 145_000,
        source_id: '001/8803/unit 3/12/05/02/1996/0010008803/LOT 3 SP 65328/145000',
        dealing_id: null,
      },
    ]);
  });

  it('in the archive differ by valuation number, description or price; a repeated row is superseded', async () => {
    const row = (valuation: string, price: number, legal: string) =>
      `B;001;VALNET1;${valuation};8803;;12;CHURCH ST;NOWRA;2541;05/02/1996;${price};${legal};0;;;;A;;;;`;
    const rows = [
      row('01', 145_000, 'LOT 3 SP 9'),
      row('02', 145_000, 'LOT 3 SP 9'),
      row('01', 145_000, 'LOT 7 SP 9'),
      row('01', 152_000, 'LOT 3 SP 9'),
    ];
    const all = [...rows, rows[0]];
    const result = await resultOf({
      'a.DAT': `A;;VALNET1;20010630 01:00;;\n${all.join('\n')}\nZ;${all.length + 2};${all.length};;\n`,
    });
    expect(rowsOf(result)).toHaveLength(4);
    expect(result.drops).toEqual({ superseded: 1 });
  });

  it('are read from the archive without its A row, with either count in its closing row', async () => {
    for (const rows of [3, 4]) {
      const text = ARCHIVE.replace(/^A.*\n/, '').replace('Z;4', `Z;${rows}`);
      const result = await resultOf({ 'a.DAT': text });
      expect(codesOf(result)).toEqual(['bad_date line 2']);
      expect(rowsOf(result)).toMatchObject([{ price: 145_000, observed_at: null }]);
    }
  });

  it('reject a contract date ten years or more before settlement', async () => {
    const dates = [
      ['19251215', '20260105'],
      ['20140105', '20240105'],
      ['20140106', '20240105'],
      ['20240301', '20240105'],
    ];
    const sales = dates.map(([contract, settlement], i) => ({
      dealing: `S${i}`,
      time: '20260601 01:00',
      contract: contract!,
      settlement: settlement!,
    }));
    const result = await resultOf({ 'a.DAT': dat(sales) });
    expect(result.rejects.map(({ message }) => message.split(' before')[0])).toEqual([
      'event_date 1925-12-15 is 100 years',
      'event_date 2014-01-05 is 10 years',
    ]);
    expect(rowsOf(result).map(({ event_date }) => event_date)).toEqual(['2014-01-06', '2024-03-01']);
  });

  it('join legal descriptions across rows before parsing, and have no lot on plan for several lots', async () => {
    const split = await resultOf({ 'a.DAT': dat([{}], ['118//', '13421']) });
    expect(rowsOf(split)[0]!.lot_plan).toBe('118//13421');
    const several = await resultOf({ 'a.DAT': dat([{}], ['12, 53/754816 1/881', '177']) });
    expect(rowsOf(several)[0]!.lot_plan).toBeNull();
  });

  it('state why they are no evidence', async () => {
    const result = await resultOf({
      'a.DAT': dat([
        { dealing: 'A', price: '1' },
        { dealing: 'B', interest: '50' },
        { dealing: 'C', property: '1' },
        { dealing: 'C', property: '2' },
        { dealing: 'D', price: '0' },
        { dealing: 'E', property: '1', strata: '1' },
        { dealing: 'F', interest: '100' },
      ]),
    });
    expect(
      rowsOf(result).map(({ dealing_id, no_evidence, price }) => [dealing_id, no_evidence, price]),
    ).toEqual([
      ['A', 'nominal', 1],
      ['B', 'partial_interest', 900_000],
      ['C', 'multi_property', 900_000],
      ['C', 'multi_property', 900_000],
      ['D', 'nominal', null],
      ['E', null, 900_000],
      ['F', null, 900_000],
    ]);
  });

  it('that are published again count by the latest download; a broken correction does not count', async () => {
    const result = await resultOf({
      'y.zip': await zipOf({
        'a.DAT': dat([
          { time: '20240115 01:00', price: '950000' },
          { dealing: 'X', contract: '', settlement: '' },
        ]),
        'b.DAT': dat([{ time: '20240108 01:00' }, { time: '20240122 01:00', price: '-5' }]),
      }),
    });
    expect(rowsOf(result).map(({ price }) => price)).toEqual([950_000]);
    expect(result.drops).toEqual({ superseded: 1 });
    expect(codesOf(result)).toEqual(['bad_date line 6', 'bad_price line 6']);
  });

  it('use the settlement date without a contract date, and derive the type from nature and purpose', async () => {
    const result = await resultOf({
      'a.DAT': dat([
        { dealing: 'A', contract: '' },
        { dealing: 'B', nature: 'V' },
        { dealing: 'C', nature: '3', purpose: 'HOME UNIT' },
        { dealing: 'D', nature: '3', purpose: 'SHOP' },
      ]),
    });
    expect(rowsOf(result).map(({ event_date, property_type }) => [event_date, property_type])).toEqual([
      ['2024-01-05', 'house'],
      ['2023-12-01', 'land'],
      ['2023-12-01', 'unit'],
      ['2023-12-01', 'other'],
    ]);
  });

  it('are kept from a truncated or miscounted file, with a reject for the file', async () => {
    const whole = dat([{}]);
    const cut = await resultOf({ 'a.DAT': whole.slice(0, whole.indexOf('Z;')) });
    expect(codesOf(cut)).toEqual(['bad_trailer line 6']);
    expect(rowsOf(cut)).toHaveLength(1);
    const wrong = await resultOf({ 'a.DAT': whole.replace(/Z;\d+;1/, 'Z;9;3') });
    expect(wrong.rejects[0]!.message).toBe(
      'the closing row states 9 rows where 6 were read, 3 B where 1 were read',
    );
    const none = await resultOf({ 'a.DAT': whole.replace(/(Z;.*;)2;/, '$10;') });
    expect(none.rejects).toEqual([]);
  });

  it('with broken rows are set aside', async () => {
    const text = dat([{}])
      .replace('A;RTSALEDATA', 'C;001;1;x;\nA;RTSALEDATA')
      .replace('Z;', 'B;too;short;\nQ;1;\nZ;');
    const result = await resultOf({ 'a.DAT': text });
    expect(codesOf(result)).toEqual(['bad_code line 8', 'short_row line 7', 'bad_trailer line 9']);
    expect(result.drops).toEqual({ no_sale: 1 });
  });

  it('decode windows-1252 bytes of old files', async () => {
    const result = await resultOf({ 'a.DAT': Buffer.from(dat([{ house: '1\xbd' }]), 'latin1') });
    expect(rowsOf(result)[0]!.number).toBe('1½');
  });

  it('refuse a zip that is damaged, without sales files or nested too deeply', async () => {
    await expect(resultOf({ 'a.zip': 'no zip' })).rejects.toMatchObject({ code: 'bad_archive' });
    await expect(resultOf({ 'a.zip': await zipOf({ 'x.txt': 'x' }) })).rejects.toMatchObject({
      code: 'missing_file',
    });
    let deep = await zipOf({ 'a.DAT': dat([{}]) });
    for (let i = 0; i < 5; i++) deep = await zipOf({ 'z.zip': deep });
    await expect(resultOf({ 'a.zip': deep })).rejects.toMatchObject({ code: 'archive_bomb' });
  });
});
