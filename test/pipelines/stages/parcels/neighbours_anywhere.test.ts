import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parcelForm } from '../../../../transforms/geo/parcel_form.ts';
import { decodeWkb } from '../../../../transforms/geo/wkb.ts';
import { WHOLE } from '../../../countries.ts';
import { type PublishedSample, publishedSample } from '../../../published_sample.ts';
import { allPairs, expectEveryPair } from '../../nights/every_pair.ts';

/** test/pipelines/nights follows them through nights in which addresses lose their coordinates and parcels go. */
describe('the parcels that adjoin that of a property, wherever it lies', () => {
  let country: PublishedSample;

  beforeAll(async () => {
    country = await publishedSample(WHOLE);
  });

  afterAll(async () => {
    await country?.database.drop();
    await rm(country?.dir, { recursive: true, force: true });
  });

  it('are those of one search of all parcels, also where the parcel lies in another cell', async () => {
    const away = await country.database.query(
      `SELECT 1 FROM asset.address_home JOIN serving.property_neighbour USING (gnaf_pid) WHERE home <> address_home.cell`,
    );
    expect(away.length).toBeGreaterThan(20);
    await expectEveryPair(country);
  });

  it('leave the boundary that no parcel adjoins', async () => {
    const { parcels, pairs } = await allPairs(country);
    const shared = new Float64Array(parcels.length);
    for (const { a, shared_m } of pairs) shared[a]! += shared_m;
    const expected = parcels.map(({ parcel_id, area_sqm, geom }, i) => {
      const open_m = Math.max(0, parcelForm(decodeWkb(geom), area_sqm)!.perimeter_m - shared[i]!);
      return { parcel_id, frontage_m: Math.round(open_m * 10) / 10 };
    });
    const rows = await country.database.query(
      'SELECT parcel_id, frontage_m FROM asset.parcel_form ORDER BY parcel_id COLLATE "C"',
    );
    expect(rows.length).toBeGreaterThan(500);
    expect(rows).toEqual(expected);
  });
});
