import { afterEach, describe, expect, it } from 'vitest';
import { placePieceRecord } from '../../../schema/records/place.ts';
import type { Row } from '../../../schema/table.ts';
import { placesCsvAdapter } from '../../../sources/places/places_csv/adapter.ts';
import { hasSharedData } from '../../shared_data.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';

type Piece = Row<typeof placePieceRecord>;
const MAP = {
  id: 'no',
  name: 'title',
  kind: 'type',
  categories: { Park: 'green_space', Cafe: 'restaurant' },
};
const TABLE = `\ufeffno,title,type,lon,lat
1,"Green, the",PARK,145.0,-37.8
2,Bean,cafe,145.01,-37.8
2,Bean,cafe,145.01,-37.8
2,Bean,park,145.01,-37.8
3,Pub,pub,145.0,-37.8
,No id,park,145.0,-37.8
5,Word,park,east,-37.8
6,Swapped,park,-37.8,145
7,Short,park
8,,park,145.02,-37.81
`;

let folder: ReleaseFolder | undefined;
afterEach(async () => {
  await folder?.remove();
  folder = undefined;
});

async function read(text: string, options: Record<string, unknown>) {
  folder = await releaseFolder();
  await folder.write('places.csv', text);
  const { release, parts } = await placesCsvAdapter.discover(await folder.dataset({ id: 'own', options }));
  const { rows, rejects, accounts } = await readPart(placesCsvAdapter, release, parts[0]!);
  const pieces = (rows.get(placePieceRecord) ?? []) as unknown as Piece[];
  return {
    places: pieces.map(({ place_id, category, name, lon, lat }) =>
      [place_id, category, name, lon, lat].join(' '),
    ),
    rejects: rejects.map(({ at, code, extent }) =>
      [at, code, extent ?? []]
        .flat()
        .join(' ')
        .replaceAll(/(?<=\d) (?=-?\d)/g, ','),
    ),
    account: accounts[0]!,
  };
}

describe('a table of places', () => {
  it('gives the places of its map', async () => {
    const { places, rejects, account } = await read(TABLE, { field_map: MAP });
    expect(places).toEqual([
      'own/1 green_space Green, the 145 -37.8',
      'own/2 restaurant Bean 145.01 -37.8',
      'own/2 green_space Bean 145.01 -37.8',
      'own/8 green_space  145.02 -37.81',
    ]);
    expect(rejects).toEqual([
      'line 7 missing_key 145,-37.8,145,-37.8',
      'line 8 bad_coordinate',
      'line 9 outside_australia',
      'line 10 short_row',
    ]);
    expect(account).toMatchObject({
      rows_in: 10,
      records: 4,
      rejects: 4,
      drops: { listed_again: 1, not_a_place: 1 },
    });
  });

  it('sets a place aside whose identifier is repeated elsewhere', async () => {
    const { rejects, account } = await read(
      `${TABLE.replace(/,No id.*\n5.*\n6.*\n7.*\n/, '')}1,Far,park,146,-38\n`,
      {
        field_map: MAP,
      },
    );
    expect(rejects).toEqual(['line 8 duplicate_key 146,-38,146,-38']);
    expect(account).toMatchObject({ records: 4, rejects: 1, drops: { listed_again: 1 } });
  });

  it('without identifiers is known by place and name', async () => {
    const { places } = await read(TABLE, { field_map: { ...MAP, id: null }, keep: ['restaurant'] });
    expect(places).toEqual(['own/145.01,-37.8/Bean restaurant Bean 145.01 -37.8']);
  });

  it.each([
    [{}, 'bad_option'],
    [{ field_map: 'nowhere' }, 'bad_option'],
    [{ field_map: { ...MAP, categories: { Park: 'forest' } } }, 'bad_option'],
    [{ field_map: { ...MAP, kind: 'colour' } }, 'missing_column'],
  ])('with options %j is refused as %s', async (options, code) => {
    await expect(read(TABLE, options)).rejects.toMatchObject({ code });
  });
});

adapterConformance('places_csv', async () => {
  const own = await releaseFolder();
  await own.write('places.csv', TABLE);
  return {
    adapter: placesCsvAdapter,
    dataset: await own.dataset({ options: { field_map: MAP } }),
    remove: own.remove,
  };
});

describe.skipIf(!hasSharedData('places of Yarra'))('the tables of Yarra', () => {
  it.each([
    ['osm_amenities', /osm_amenities/, {}, { restaurant: 3980, supermarket: 489, green_space: 1974 }],
    ['vicnames', /vicnames/, { keep: ['beach', 'railway_station'] }, { beach: 210, railway_station: 220 }],
  ])('%s', async (field_map, pattern, options, expected) => {
    const dataset = await datasetOf(`${YARRA}places`, { options: { field_map, ...options } }, pattern);
    const { release, parts } = await placesCsvAdapter.discover(dataset);
    const { rows, rejects } = await readPart(placesCsvAdapter, release, parts[0]!);
    const counts: Record<string, number> = {};
    for (const { category } of rows.get(placePieceRecord) as unknown as Piece[])
      counts[category] = (counts[category] ?? 0) + 1;
    expect(counts).toEqual(expected);
    expect(rejects).toEqual([]);
  });
});
