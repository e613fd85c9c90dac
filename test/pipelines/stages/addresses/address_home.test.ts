import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressHomeStage, parcelSiteStage } from '../../../../pipelines/stages/addresses/address_home.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

type Given = Readonly<Record<string, unknown>>;

const CELL = 5;
const on = (gnaf_pid: string, site: string | null, given: Given): Given => ({
  cell: CELL,
  point_cell: CELL,
  gnaf_pid,
  site,
  is_parcel_position: true,
  method: 'none',
  ...given,
});
const inside = (gnaf_pid: string, site: string | null, parcel_id: string, given: Given = {}): Given =>
  on(gnaf_pid, site, {
    parcel_id,
    holder_ids: [parcel_id],
    method: 'point_in_parcel',
    distance_m: 0,
    ...given,
  });

describe('an address whose point lies outside every parcel', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  /** The first of some addresses at home: all of them are in one cell, beside the parcels of PARCEL_BOX. */
  async function first(...found: Given[]): Promise<Given> {
    const on_parcel = await statementRows(database, parcelSiteStage, { address: found });
    const rows = await statementRows(database, addressHomeStage, {
      found,
      on_parcel,
      region: found.map(({ cell, gnaf_pid }) => ({ cell, gnaf_pid, method: 'none' })),
      address: found.map(({ cell, gnaf_pid }) => ({ cell, gnaf_pid, lon: 144, lat: -37, label: gnaf_pid })),
    });
    expect(rows).toHaveLength(found.length);
    return rows.find(({ gnaf_pid }) => gnaf_pid === found[0]!.gnaf_pid)!;
  }

  /** No. 12, whose parcel went: 12A is the nearest. */
  const gone = on('12', 'VIC1|12', {
    parcel_id: '12A',
    method: 'nearest',
    distance_m: 4.5,
    parcel_cell: 9,
    area_sqm: 100,
    west: 143.9,
    south: -37.1,
    east: 143.95,
    north: -36.9,
  });
  const HAS = { parcel_id: '12A', parcel_method: 'nearest', parcel_distance_m: 4.5, home: 9 };
  const HAS_NOT = {
    parcel_id: null,
    parcel_method: 'none',
    parcel_distance_m: null,
    parcel_area_sqm: null,
    home: CELL,
  };

  it('has the nearest one where that holds the point of no other', async () => {
    expect(await first(gone)).toMatchObject({
      ...HAS,
      min_lon: 143.9,
      max_lon: 144,
      min_lat: -37.1,
      max_lat: -36.9,
    });
    expect(await first(gone, inside('14', 'VIC1|14', '14'), on('x', null, {}))).toMatchObject(HAS);
    expect(await first(gone, { ...gone, gnaf_pid: '13', site: 'VIC1|13' })).toMatchObject(HAS);
  });

  it('has none that holds the point of another number or is named by it', async () => {
    expect(await first(gone, inside('12A', 'VIC1|14', '12A'))).toMatchObject({ ...HAS_NOT, min_lon: 144 });
    expect(
      await first(gone, inside('twin', 'VIC1|14', '13', { holder_ids: ['12A'], method: 'legal_id' })),
    ).toMatchObject(HAS_NOT);
    // A lot of a building on a base lot that holds the same point.
    expect(await first(gone, inside('lot', 'VIC1|14', '13', { holder_ids: ['13', '12A'] }))).toMatchObject(
      HAS_NOT,
    );
    const named = on('named', 'VIC1|14', { parcel_id: '12A', method: 'legal_id' });
    expect(await first(gone, named)).toMatchObject(HAS_NOT);
    expect(await first(gone, inside('a', 'VIC1|12', '12A'), inside('b', 'VIC1|14', '12A'))).toMatchObject(
      HAS_NOT,
    );
  });

  it('shares it with the addresses of its building, and with none whose number is unknown', async () => {
    expect(await first(gone, inside('unit', 'VIC1|12', '12A'))).toMatchObject(HAS);
    expect(await first(gone, inside('lot', null, '12A'))).toMatchObject(HAS_NOT);
    expect(await first({ ...gone, site: null }, inside('unit', 'VIC1|12', '12A'))).toMatchObject(HAS_NOT);
  });

  it('is looked at within its cell', async () => {
    expect(await first(gone, { ...inside('far', 'VIC1|14', '12A'), cell: 6 })).toMatchObject(HAS);
  });
});
