import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import { datasetOfFiles, GnafFolder, geocode, membersOf, readDataset, tinyTables } from './tiny_release.ts';

let disk: GnafFolder;
beforeEach(async () => {
  disk = await GnafFolder.open();
});
afterEach(() => disk.close());

const members = () => membersOf(tinyTables());
const discover = async (name: string, config = {}, folder?: string) => {
  const path = await disk.zip(membersOf(tinyTables(), 'VIC', folder), name);
  return (await gnafAdapter.discover(datasetOfFiles([path], config))).release;
};

describe('datum', () => {
  it.each([
    ['g-naf_nov25_allstates_gda2020_psv_1022.zip', 'EPSG:7844'],
    ['g-naf_nov25_allstates_gda94_psv_1022.zip', 'EPSG:4283'],
    ['G-NAF_NOV25_GDA94.ZIP', 'EPSG:4283'],
    ['GNAF GDA 2020.zip', 'EPSG:7844'],
  ])('%s: %s', async (name, applied) => {
    expect((await discover(name)).crs).toEqual({ applied, stated: applied, overridden: false });
  });

  it('comes from a folder if the name of the zip does not state it', async () => {
    const release = await discover('release.zip', {}, 'gnaf_gda94/G-NAF NOVEMBER 2025');
    expect(release.crs.applied).toBe('EPSG:4283');
  });

  it('comes from the configuration if no name states it, and overrides the names', async () => {
    const silent = await discover('release.zip', { crs: 'EPSG:7844' });
    expect(silent.crs).toEqual({ applied: 'EPSG:7844', stated: null, overridden: false });
    const against = await discover('g-naf_nov25_gda94.zip', { crs: 'EPSG:7844' });
    expect(against.crs).toEqual({ applied: 'EPSG:7844', stated: 'EPSG:4283', overridden: true });
    expect(against.notes).toContain('The datum is EPSG:7844 by configuration; the file names say EPSG:4283.');
  });

  it('is an error if it is unknown, ambiguous, or configured as a projection', async () => {
    const unknown = { code: 'gnaf_datum_unknown', message: expect.stringContaining('EPSG:4283') };
    await expect(discover('release.zip')).rejects.toMatchObject(unknown);
    await expect(discover('gda94_to_gda2020.zip')).rejects.toMatchObject(unknown);
    const path = await disk.zip(members(), 'release.zip');
    await expect(readDataset(datasetOfFiles([path], { crs: 'EPSG:7855' }))).rejects.toMatchObject(unknown);
  });

  it('GDA94 points move 1.5 m to the north-east, GDA2020 points not at all', async () => {
    const tables = tinyTables();
    tables.ADDRESS_DEFAULT_GEOCODE![0] = geocode(1, { LONGITUDE: '151.2093', LATITUDE: '-33.8688' });
    const path = await disk.zip(membersOf(tables), 'g-naf_nov25_gda94.zip');
    const [sydney, melbourne] = (await readDataset(datasetOfFiles([path]))).addresses;
    expect(sydney!.lon).toBeCloseTo(151.20930543, 8);
    expect(sydney!.lat).toBeCloseTo(-33.868787317, 8);
    expect(melbourne!.lon).toBeCloseTo(144.963105937, 8);
    expect(melbourne!.lat).toBeCloseTo(-37.813586837, 8);
    const as2020 = (await readDataset(datasetOfFiles([path], { crs: 'EPSG:7844' }))).addresses[0]!;
    expect([as2020.lon, as2020.lat]).toEqual([151.2093, -33.8688]);
  });
});

describe('release label', () => {
  it.each([
    ['a_gda2020.zip', 'G-NAF/G-NAF FEBRUARY 2026', 'FEBRUARY 2026'],
    ['g-naf_aug26_allstates_gda2020_psv_1024.zip', 'G-NAF', 'AUGUST 2026'],
    ['gnaf-may24-gda2020.zip', 'G-NAF', 'MAY 2024'],
  ])('%s, %s: %s', async (name, folder, id) => {
    expect((await discover(name, {}, folder)).id).toBe(id);
  });

  it('is stated by the configuration, with a note where the names say another', async () => {
    const release = await discover('g-naf_nov25_gda2020.zip', { release: '2025-11' });
    expect(release.id).toBe('2025-11');
    expect(release.notes).toContain(
      'The release is 2025-11 by configuration; the file names say NOVEMBER 2025.',
    );
  });

  it('is an error if neither name nor folder states it', async () => {
    await expect(discover('gda2020.zip', {}, 'tables')).rejects.toMatchObject({
      code: 'gnaf_release_unknown',
    });
  });
});

describe('states', () => {
  it('are the parts, in alphabetical order; an option selects some', async () => {
    const one = { ...membersOf(tinyTables(), 'WA'), ...members(), ...membersOf(tinyTables(), 'NSW') };
    const path = await disk.zip(one);
    const all = await gnafAdapter.discover(datasetOfFiles([path]));
    expect(all.parts.map((part) => part.id)).toEqual(['NSW', 'VIC', 'WA']);
    const some = await gnafAdapter.discover(datasetOfFiles([path], { options: { states: ['WA', 'VIC'] } }));
    expect(some.parts.map((part) => part.id)).toEqual(['VIC', 'WA']);
  });

  it('may come in a zip each, with the same code lists', async () => {
    const vic = await disk.zip(members(), 'g-naf_nov25_vic_gda2020.zip');
    const nsw = await disk.zip(membersOf(tinyTables(), 'NSW'), 'g-naf_nov25_nsw_gda2020.zip');
    const { addresses } = await readDataset(datasetOfFiles([nsw, vic]));
    expect(addresses.map((row) => row.state)).toEqual(['NSW', 'NSW', 'NSW', 'VIC', 'VIC', 'VIC']);
  });
});
