import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../../cli/load_config.ts';
import { renderHistory } from '../../../cli/render_journal.ts';
import { type ValueHistory, valueHistory } from '../../../pipelines/explain/value_history.ts';
import { WHOLE } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { editShapefile } from '../edit_shapefile.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

/** A property on a parcel of its own, with a sale. */
interface Home {
  gnaf_pid: string;
  land_area_sqm: number;
  source_no: number;
  price: number;
}

describe('the cause of a changed value', () => {
  let dir: string;
  let database: TestDatabase;
  let lost: Home;
  let sold: Home;

  const historyOf = async (pid: string, field: string): Promise<ValueHistory> => {
    const { config } = await loadConfig({ config: join(dir, 'config.yaml') }, {});
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await valueHistory(client, config, { pid, field });
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    database = await createDatabase();
    dir = await sampleFolder(WHOLE);
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
    const named = Object.entries(config.datasets).filter(([name]) =>
      /^(gnaf|asgs|cadastre_(tas|nsw)|sales_tas)$/.test(name),
    );
    await writeFile(path, stringify({ ...config, datasets: Object.fromEntries(named) }));
    expect((await refreshSample(database, dir)).error).toBeNull();
    [lost, sold] = (await database.query<Home>(
      `SELECT p.gnaf_pid, p.land_area_sqm, r.source_no, s.price FROM serving.property p
       JOIN record.parcel r USING (parcel_id) JOIN serving.sale s USING (gnaf_pid)
       WHERE p.state = 'TAS' AND p.land_area_sqm IS NOT NULL ORDER BY p.gnaf_pid LIMIT 2`,
    )) as [Home, Home];
    // A night: a parcel goes from the cadastre of Tasmania, a delivery of New South Wales comes again with a parcel less, and a price is corrected.
    const without = (file: string, gone: number) =>
      editShapefile(join(dir, 'cadastre', file), (feature, i) =>
        feature === null || i === gone ? [] : [feature],
      );
    await without('tas/list_cadastral_parcels_statewide.shp', lost.source_no - 1);
    await without('nsw/NSWLandParcelPropertyTheme_Lot.shp', 0);
    const sales = join(dir, 'sales', 'tasmania.csv');
    const text = await readFile(sales, 'utf8');
    await writeFile(sales, text.replaceAll(`$${sold.price}`, `$${sold.price + 1000}`));
    const night = await refreshSample(database, dir, OPEN_GATES);
    expect(night).toMatchObject({ error: null, publication: 2 });
  }, 240_000);
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is the cadastre whose parcel is gone, though its release has the same name', async () => {
    const history = await historyOf(lost.gnaf_pid, 'property.land_area_sqm');
    expect(history.changes[0]).toMatchObject({ before: lost.land_area_sqm, after: null });
    expect(history.changes[0]!.releases).toEqual([expect.stringMatching(/^cadastre_tas /)]);
    expect(renderHistory(history)).toContain('recomputed from: cadastre_tas ');
  });

  it('is the file of sales whose price was corrected, and not the cadastre that came with it', async () => {
    const history = await historyOf(sold.gnaf_pid, 'property_event.price');
    expect(history.changes[0]).toMatchObject({ before: sold.price, after: sold.price + 1000 });
    expect(history.changes[0]!.releases).toEqual([expect.stringMatching(/^sales_tas /)]);
  });
});
