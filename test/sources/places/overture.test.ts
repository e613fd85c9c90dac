import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, describe, expect, it } from 'vitest';
import { placePieceRecord } from '../../../schema/records/place.ts';
import { overtureAdapter } from '../../../sources/places/overture/adapter.ts';
import { OVERTURE_CATEGORIES, OvertureRules } from '../../../sources/places/overture/categories.ts';
import { OverturePlaces } from '../../../sources/places/overture/overture_places.ts';
import { encodeLineWkb, encodePointWkb } from '../../../transforms/geo/wkb.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

const rules = new OvertureRules(OVERTURE_CATEGORIES);

describe('categories of both generations', () => {
  it.each([
    [{ categories: { primary: 'supermarket' } }, 'supermarket'],
    [{ basic_category: 'grocery_store' }, 'supermarket'],
    [{ categories: { primary: 'asian_grocery_store' } }, 'supermarket'],
    [{ categories: { primary: 'diner' } }, 'restaurant'],
    [
      {
        taxonomy: {
          primary: 'thai_restaurant',
          hierarchy: ['food_and_drink', 'restaurant', 'thai_restaurant'],
        },
      },
      'restaurant',
    ],
    [
      { taxonomy: { primary: 'noodle_bar', hierarchy: ['food_and_drink', 'restaurant', 'noodle_bar'] } },
      'restaurant',
    ],
    [
      { taxonomy: { primary: 'fast_food_restaurant', hierarchy: ['restaurant', 'fast_food_restaurant'] } },
      null,
    ],
    [
      { taxonomy: { primary: 'water_park', hierarchy: ['park', 'water_park'] }, basic_category: 'park' },
      null,
    ],
    [{ taxonomy: { primary: 'internet_cafe', hierarchy: ['cafe', 'internet_cafe'] } }, null],
    [{ taxonomy: { hierarchy: ['sports_and_recreation', 'park'] } }, 'green_space'],
    [{ taxonomy: { primary: 'sushi_bar' }, basic_category: 'japanese_restaurant' }, 'restaurant'],
    [{ categories: { primary: 'coffee_shop' }, taxonomy: null, basic_category: null }, 'restaurant'],
    [{ categories: { primary: 'park' } }, 'green_space'],
    [{ categories: { primary: 'water_park' } }, null],
    [{ categories: { primary: 'train_station' } }, 'railway_station'],
    [{ categories: null, basic_category: null, taxonomy: null }, null],
    [{ categories: { primary: 7 }, taxonomy: { hierarchy: 'restaurant' } }, null],
  ] as const)('%j is %s', (kinds, category) => expect(rules.categoryOf(kinds)).toBe(category));
});

it('takes a name above the own one if the options state it', () => {
  const own = new OvertureRules({ ...OVERTURE_CATEGORIES, green_space: ['park', 'outdoor_area'] });
  const kinds = { taxonomy: { primary: 'garden_bed', hierarchy: ['outdoor_area', 'garden_bed'] } };
  expect(own.categoryOf(kinds)).toBe('green_space');
});

const row = (over: Record<string, unknown> = {}) => ({
  id: '08f1',
  geometry: encodePointWkb({ coords: Float64Array.of(145, -37.8) }),
  names: { primary: 'Bean' },
  categories: { primary: 'cafe' },
  confidence: 0.9,
  operating_status: 'open',
  addresses: [{ region: 'AU-VIC', country: 'AU' }],
  ...over,
});
const fateOf = (
  over: Record<string, unknown>,
  options: { regions?: string[]; min_confidence?: number } = {},
) => {
  const { regions = null, min_confidence = 0.5 } = options;
  return new OverturePlaces({ regions, min_confidence, categories: OVERTURE_CATEGORIES }).fateOf(
    row(over),
    1,
  );
};

describe('rows of Overture', () => {
  it('are places', () => {
    expect(fateOf({})).toEqual({
      place: {
        source_no: 1,
        place_id: 'overture:08f1',
        category: 'restaurant',
        name: 'Bean',
        at: [145, -37.8],
        is_only: true,
      },
    });
    expect(fateOf({ names: null })).toMatchObject({ place: { name: null } });
    expect(fateOf({ confidence: null })).toMatchObject({ place: {} });
  });

  it.each([
    [{ categories: null }, {}, 'not_a_place'],
    [{ confidence: 0.49 }, {}, 'low_confidence'],
    [{ confidence: 0.55 }, { min_confidence: 0.6 }, 'low_confidence'],
    [{ operating_status: 'permanently_closed' }, {}, 'closed'],
    [{ addresses: [{ country: 'NZ' }] }, {}, 'other_region'],
    [{}, { regions: ['NSW'] }, 'other_region'],
    [{ addresses: null }, { regions: ['NSW'] }, 'other_region'],
  ])('%j with %j are dropped as %s', (over, options, drop) =>
    expect(fateOf(over, options)).toEqual({ drop }),
  );

  it.each([
    [{ id: null }, 'missing_key'],
    [{ geometry: null }, 'no_geometry'],
    [{ geometry: 'POINT (1 2)' }, 'bad_shape'],
    [{ geometry: new Uint8Array([1, 2]) }, null],
    [
      { geometry: encodeLineWkb({ coords: Float64Array.of(145, -37, 145, -38), lineEnds: [2] }) },
      'wrong_geometry',
    ],
    [{ geometry: encodePointWkb({ coords: Float64Array.of(0, 0) }) }, 'outside_australia'],
    [{ names: { primary: 'n'.repeat(5000) } }, 'bad_value'],
  ])('%j are rejected as %s', (over, code) =>
    expect(fateOf(over)).toMatchObject({ reject: code === null ? {} : { code } }),
  );

  it('name the suburb or postcode of their address if they have no point, and no state alone', () => {
    const address = { region: 'AU-VIC', country: 'AU', locality: 'Kew', postcode: '3101' };
    expect(fateOf({ geometry: null, addresses: [address] })).toMatchObject({
      reject: { area: { state: 'VIC', suburb: 'KEW', postcode: '3101' } },
    });
    for (const geometry of [null, 'POINT (1 2)'])
      expect(fateOf({ geometry })).toMatchObject({ reject: { area: undefined } });
  });

  it('repeat no identifier', () => {
    const places = new OverturePlaces({
      regions: null,
      min_confidence: 0.5,
      categories: OVERTURE_CATEGORIES,
    });
    places.fateOf(row(), 1);
    expect(places.fateOf(row(), 2)).toMatchObject({ reject: { code: 'duplicate_key' } });
  });
});

let folder: ReleaseFolder | undefined;
afterEach(async () => {
  await folder?.remove();
  folder = undefined;
});

describe('files of Overture', () => {
  const discover = async (bytes: Uint8Array, options: Record<string, unknown> = {}) => {
    folder = await releaseFolder();
    await folder.write('places.parquet', bytes);
    return overtureAdapter.discover(await folder.dataset({ options }));
  };
  const table = (names: readonly string[]) =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: names.map((name) => ({ name, data: ['x'], type: 'STRING' as const })),
      }),
    );

  it('say what they lack', async () => {
    await expect(discover(table(['id', 'name']))).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringContaining('geometry, categories or basic_category'),
    });
    await folder!.remove();
    await expect(discover(Buffer.from('PAR1 no'))).rejects.toMatchObject({ code: 'bad_parquet' });
    await folder!.remove();
    await expect(discover(table(['id']), { regions: ['Victoria'] })).rejects.toMatchObject({
      code: 'bad_option',
    });
    expect(overtureAdapter.tables[0]).toBe(placePieceRecord);
  });
});
