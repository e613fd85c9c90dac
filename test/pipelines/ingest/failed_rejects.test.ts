import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { listRejects } from '../../../pipelines/report/rejects.ts';
import { openPool, withClient } from '../../../store/database.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { type ReleaseFolder, releaseFolder } from '../../sources/release_folder.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

describe('rejected rows of a delivery that is refused', () => {
  let database: TestDatabase;
  let folder: ReleaseFolder;

  beforeAll(async () => {
    database = await createDatabase();
    folder = await releaseFolder();
    const field_map = {
      columns: { source_id: 'Ref', event_date: 'Date', address: 'Address', price: 'Price' },
    };
    const datasets = {
      sales: {
        adapter: 'sales_csv',
        path: './sales.csv',
        licence: 'CC-BY-4.0',
        options: { state: 'VIC', field_map },
      },
    };
    await writeFile(join(folder.path, 'config.yaml'), stringify({ datasets }));
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder.path, { recursive: true, force: true });
  });

  async function deliver(dates: readonly string[]) {
    const rows = dates.map((date, i) => `${i},${date},"${i} High St, Kew VIC",500000`);
    await folder.write('sales.csv', `Ref,Date,Address,Price\n${rows.join('\n')}\n`);
    return refreshSample(database, folder.path, OPEN_GATES);
  }

  async function rejects(code: string | null = null) {
    const pool = openPool(database.url, 1);
    try {
      return await withClient(pool, (client) => listRejects(client, { dataset: 'sales', code, limit: 100 }));
    } finally {
      await pool.end();
    }
  }

  it('are listed, and the message quotes one', async () => {
    const report = await deliver(['3/12/16', '4/12/16']);
    expect([report.state, report.error?.code]).toEqual(['failed', 'all_rejected']);
    expect(report.error?.message).toContain(
      '(2 bad_date), for example sales.csv line 2: event_date "3/12/16" has a year of two digits; set the option two_digit_years_from',
    );
    expect((await rejects()).map(({ at, failed }) => [at, failed])).toEqual([
      ['line 2', true],
      ['line 3', true],
    ]);
    expect(await rejects('bad_price')).toEqual([]);
  });

  it('are listed with those of the kept load, until a delivery is loaded', async () => {
    const good = Array.from({ length: 30 }, () => '3/12/2016');
    await deliver([...good, 'x']);
    expect((await rejects()).map(({ at, failed }) => [at, failed])).toEqual([['line 32', false]]);
    const report = await deliver(['3/12/2016', ...good.map(() => 'y')]);
    expect(report.datasets[0]).toMatchObject({
      action: 'kept',
      reason: expect.stringMatching(/^most_rejected: .*for example sales\.csv line 3: event_date "y"/),
    });
    const listed = await rejects();
    expect(listed.filter(({ failed }) => !failed).map(({ at }) => at)).toEqual(['line 32']);
    expect(listed.filter(({ failed }) => failed)).toHaveLength(30);
    await deliver(good);
    expect(await rejects()).toEqual([]);
  });
});
