import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPayloads, getSearch } from '../../cli/commands/get.ts';
import { withSetUp } from '../../cli/commands/inspect.ts';
import { type LoadedConfig, loadConfig } from '../../cli/load_config.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('get from a database without a publication', () => {
  let database: TestDatabase;
  let loaded: LoadedConfig;
  const get = (path: string) => getPayloads(loaded, [path], 'GAVIC000000000');
  const search = () => getSearch(loaded, propertyFinder, { regions: 'VIC' });

  beforeAll(async () => {
    database = await createDatabase();
    loaded = await loadConfig({ set: [`database.url=${database.url}`] }, {});
  });

  afterAll(() => database?.drop());

  it('fails with unknown_publication without tables', async () => {
    await expect(get('profile')).rejects.toMatchObject({ code: 'unknown_publication' });
    await expect(search()).rejects.toMatchObject({ code: 'unknown_publication' });
  });

  it('answers unknown_property or unknown_suburb from every endpoint of empty tables', async () => {
    await withSetUp(database.url, loaded.config, async () => undefined);
    for (const { subpath: path, subject } of ENDPOINTS)
      expect((await get(path))[path], path).toMatchObject({ data: null, no_data: `unknown_${subject}` });
    expect(await search()).toMatchObject({ total_properties: 0, properties: [] });
  });
});
