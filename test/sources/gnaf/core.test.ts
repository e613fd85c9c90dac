import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_CELL } from '../../../schema/grid.ts';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityRecord,
  streetRecord,
} from '../../../schema/records/address.ts';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { zipBytes } from '../zip_writer.ts';

const COLUMNS =
  'ADDRESS_DETAIL_PID|DATE_CREATED|ADDRESS_LABEL|ADDRESS_SITE_NAME|BUILDING_NAME|FLAT_TYPE|FLAT_NUMBER|LEVEL_TYPE|LEVEL_NUMBER|NUMBER_FIRST|NUMBER_LAST|LOT_NUMBER|STREET_NAME|STREET_TYPE|STREET_SUFFIX|LOCALITY_NAME|STATE|POSTCODE|LEGAL_PARCEL_ID|MB_CODE|ALIAS_PRINCIPAL|PRINCIPAL_PID|PRIMARY_SECONDARY|PRIMARY_PID|GEOCODE_TYPE|LONGITUDE|LATITUDE';

type Values = Readonly<Record<string, string>>;
const HOUSE: Values = {
  ADDRESS_DETAIL_PID: 'GAVIC411711441',
  ADDRESS_LABEL: '12A-14 SMITH STREET, ABBOTSFORD VIC 3067',
  NUMBER_FIRST: '12A',
  NUMBER_LAST: '14',
  STREET_NAME: 'SMITH',
  STREET_TYPE: 'STREET',
  LOCALITY_NAME: 'ABBOTSFORD',
  STATE: 'VIC',
  POSTCODE: '3067',
  LEGAL_PARCEL_ID: '1008\\PS908944',
  MB_CODE: '20663970000',
  ALIAS_PRINCIPAL: 'P',
  GEOCODE_TYPE: 'PC',
  LONGITUDE: '144.99800000',
  LATITUDE: '-37.80400000',
};
const row = (values: Values): string =>
  COLUMNS.split('|')
    .map((name) => values[name] ?? '')
    .join('|');
const file = (...rows: Values[]): string => `\ufeff${[COLUMNS, ...rows.map(row)].join('\r\n')}\r\n`;
const with_ = (values: Values): Values => ({ ...HOUSE, ...values });

const NAME = 'G-NAF Core/G-NAF Core MAY 2024/Standard/GNAF_CORE.psv';
let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

let next = 0;
async function read(content: string, options = {}, zip = 'G-NAFCore_MAY24_AUSTRALIA_GDA2020_PSV_107.zip') {
  const bytes = await zipBytes([{ name: NAME, bytes: Buffer.from(content) }]);
  await folder.write(`${++next}/${zip}`, bytes);
  const { release, parts } = await gnafAdapter.discover(
    await datasetOf(`${folder.path}/${next}`, { options }),
  );
  const result = await readPart(gnafAdapter, release, parts[0]!);
  return { release, parts, ...result, addresses: result.rows.get(addressRecord) ?? [] };
}

describe('G-NAF Core', () => {
  it('gives addresses in the form of the whole G-NAF', async () => {
    const { release, parts, addresses, rows } = await read(file(HOUSE));
    expect(release).toMatchObject({ id: 'MAY 2024', crs: { applied: 'EPSG:7844' } });
    expect(parts.map(({ id }) => id)).toEqual(['CORE']);
    expect(addresses).toMatchObject([
      {
        source_no: 2,
        gnaf_pid: 'GAVIC411711441',
        label: '12A-14 SMITH STREET, ABBOTSFORD VIC 3067',
        number_first: '12A',
        number_last: '14',
        lot_plan: '1008\\PS908944',
        confidence: 0,
        is_live: true,
        geocode_type: 'PC',
        geocode_level: 7,
        lon: 144.998,
        lat: -37.804,
        mesh_block: '20663970000',
        mesh_block_year: 2021,
      },
    ]);
    expect(rows.get(localityRecord)).toMatchObject([{ locality_pid: 'VIC/ABBOTSFORD', name: 'ABBOTSFORD' }]);
    expect(rows.get(streetRecord)).toMatchObject([
      { street_pid: 'VIC/ABBOTSFORD/SMITH STREET', type: 'STREET' },
    ]);
  });

  it('links aliases and units, and names each locality and street once', async () => {
    const { rows, accounts } = await read(
      file(
        HOUSE,
        with_({ ADDRESS_DETAIL_PID: 'GAVIC2', ALIAS_PRINCIPAL: 'A', PRINCIPAL_PID: 'GAVIC411711441' }),
        with_({
          ADDRESS_DETAIL_PID: 'GAVIC3',
          FLAT_TYPE: 'UNIT',
          FLAT_NUMBER: '1',
          PRIMARY_SECONDARY: 'S',
          PRIMARY_PID: 'GAVIC411711441',
        }),
      ),
    );
    expect(rows.get(addressAliasRecord)).toMatchObject([
      { alias_pid: 'GAVIC2', principal_pid: 'GAVIC411711441' },
    ]);
    expect(rows.get(addressParentRecord)).toMatchObject([
      { secondary_pid: 'GAVIC3', primary_pid: 'GAVIC411711441' },
    ]);
    expect(rows.get(localityRecord)).toHaveLength(1);
    expect(accounts.map(({ table, records }) => [table, records])).toEqual([
      ['address', 3],
      [null, 3],
      ['locality', 1],
      ['street', 1],
      ['address_alias', 1],
      ['address_parent', 1],
    ]);
  });

  it('says how far a point can be trusted', async () => {
    const { addresses } = await read(
      file(
        with_({ GEOCODE_TYPE: 'LOC' }),
        with_({ ADDRESS_DETAIL_PID: 'b', GEOCODE_TYPE: 'STL' }),
        with_({ ADDRESS_DETAIL_PID: 'c', GEOCODE_TYPE: 'LOCALITY' }),
        with_({ ADDRESS_DETAIL_PID: 'd', GEOCODE_TYPE: 'Street Locality' }),
        with_({ ADDRESS_DETAIL_PID: 'e', GEOCODE_TYPE: 'FRONTAGE CENTRE SETBACK' }),
      ),
    );
    expect(addresses.map((each) => [each.geocode_type, each.geocode_level])).toEqual([
      ['LOC', 4],
      ['STL', 6],
      ['LOC', 4],
      ['STL', 6],
      ['FCS', 7],
    ]);
  });

  it('sets bad rows aside, and keeps those with a bad point without it', async () => {
    const { addresses, rejects, accounts } = await read(
      `${file(
        with_({ ADDRESS_DETAIL_PID: '' }),
        with_({ STATE: 'XX' }),
        with_({ ALIAS_PRINCIPAL: 'Q' }),
        with_({ MB_CODE: '2.06E+10' }),
        with_({ ADDRESS_DETAIL_PID: 'a', LONGITUDE: 'NaN' }),
        with_({ ADDRESS_DETAIL_PID: 'b', LONGITUDE: '', LATITUDE: '' }),
        with_({ ADDRESS_DETAIL_PID: 'c', LATITUDE: '37.8' }),
      )}short|row\r\n`,
    );
    expect(rejects.map(({ code }) => code).sort()).toEqual([
      'bad_code',
      'bad_code',
      'bad_coordinate',
      'bad_mesh_block',
      'missing_value',
      'outside_australia',
      'short_row',
    ]);
    expect(addresses.map(({ gnaf_pid, cell, lon }) => [gnaf_pid, cell, lon])).toEqual([
      ['a', NO_CELL, null],
      ['b', NO_CELL, null],
      ['c', NO_CELL, null],
    ]);
    for (const { rows_in, records, rejects: set, drops } of accounts)
      expect(rows_in).toBe(records + set + Object.values(drops).reduce((sum, n) => sum + n, 0));
  });

  it('reads the states that are wanted, and mesh blocks of the year of the release', async () => {
    const rows = file(HOUSE, with_({ ADDRESS_DETAIL_PID: 'GANSW1', STATE: 'NSW' }));
    const { addresses, accounts } = await read(rows, { states: ['NSW'] }, 'G-NAFCore_MAY24_GDA94.zip');
    expect(addresses.map(({ state }) => state)).toEqual(['NSW']);
    expect(addresses[0]!.lon).not.toBe(144.998);
    expect(accounts[0]).toMatchObject({ drops: { other_state: 1 } });
    expect((await read(rows, { mesh_block_year: 2026 })).addresses[0]).toMatchObject({
      mesh_block_year: 2026,
    });
  });

  it('reads files without optional columns, and refuses files without required ones', async () => {
    const few =
      'ADDRESS_DETAIL_PID|NUMBER_FIRST|STREET_NAME|STREET_TYPE|LOCALITY_NAME|STATE|POSTCODE|GEOCODE_TYPE|LONGITUDE|LATITUDE';
    const { addresses, release } = await read(`${few}\na|1|SMITH|STREET|ABBOTSFORD|VIC|3067|PC|145|-37.8\n`);
    expect(addresses).toMatchObject([
      { label: '1 SMITH STREET, ABBOTSFORD VIC 3067', mesh_block: null, alias_principal: 'P' },
    ]);
    expect(release.notes).toContain('No column MB_CODE: mesh_block is null.');
    await expect(read('ADDRESS_DETAIL_PID|STATE\na|VIC\n')).rejects.toMatchObject({ code: 'missing_column' });
    await expect(read('')).rejects.toMatchObject({ code: 'missing_column' });
  });

  it('refuses a delivery without a datum, or with two copies', async () => {
    await expect(read(file(HOUSE), {}, 'G-NAFCore_MAY24.zip')).rejects.toMatchObject({
      code: 'gnaf_datum_unknown',
    });
    await folder.write('two/a_gda2020/GNAF_CORE.psv', file(HOUSE));
    await folder.write('two/b_gda2020/GNAF_CORE.psv', file(HOUSE));
    const dataset = await datasetOf(`${folder.path}/two`);
    await expect(gnafAdapter.discover(dataset)).rejects.toMatchObject({ code: 'gnaf_several_releases' });
  });
});

adapterConformance('gnaf, Core', async () => {
  const release = await releaseFolder();
  const rows = [
    HOUSE,
    with_({ ADDRESS_DETAIL_PID: 'b', ALIAS_PRINCIPAL: 'A', PRINCIPAL_PID: 'GAVIC411711441' }),
    with_({ STATE: '?' }),
  ];
  const bytes = await zipBytes([{ name: NAME, bytes: Buffer.from(file(...rows)) }]);
  await release.write('G-NAFCore_MAY24_AUSTRALIA_GDA2020_PSV_107.zip', bytes);
  return { adapter: gnafAdapter, dataset: await release.dataset(), remove: release.remove };
});
