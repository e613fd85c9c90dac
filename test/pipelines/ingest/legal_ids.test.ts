import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { databaseChecks } from '../../../pipelines/doctor/database.ts';
import { configSchema } from '../../../schema/config.ts';
import { toGeoJson } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type Country, SMALL } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

/** Of its own: SMALL has fewer parcels of Queensland than show whether their ids join. */
const COUNTRY: Country = { ...SMALL, properties: 600 };

/** A map of a council's own: one column with plan and lot. */
const OWN = { parcel_id: 'id', lot_plan: { parts: ['lot_plan'] } };
const PATTERNS = [{ match: '^lot (?<lot>\\w+) on (?<plan>[a-z]+\\d+)$', write: '$<lot>/$<plan>' }];

describe('a cadastre with plan and lot in one column', () => {
  let dir: string;
  let database: TestDatabase;
  let served: string;
  let lots: { id: string; lot: string; plan: string; geom: Uint8Array }[];

  /** The Queensland cadastre of the sample country with lots on plan as `write` has them, through a map. */
  const refreshWith = async (
    write: (lot: string, plan: string) => string,
    lot_plan: Record<string, unknown> = {},
    crs = 'EPSG::7844',
  ) => {
    const features = lots.map(({ id, lot, plan, geom }) => ({
      type: 'Feature',
      properties: { id, lot_plan: write(lot, plan) },
      geometry: toGeoJson(decodeWkb(geom)),
    }));
    const named = { crs: { type: 'name', properties: { name: `urn:ogc:def:crs:${crs}` } } };
    await writeFile(
      join(dir, 'council.geojson'),
      JSON.stringify({ type: 'FeatureCollection', ...named, features }),
    );
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8'));
    config.datasets.cadastre_qld = {
      adapter: 'cadastre',
      path: 'council.geojson',
      licence: 'generated',
      options: { state: 'QLD', field_map: { ...OWN, lot_plan: { ...OWN.lot_plan, ...lot_plan } } },
    };
    await writeFile(path, stringify(config));
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    return report;
  };
  const doctor = async () =>
    (
      await databaseChecks(
        database.url,
        configSchema.parse({ database: { url: database.url }, datasets: {} }),
      )
    ).find(({ check }) => check === 'deliveries')!;
  const byId = async (): Promise<number> =>
    (
      await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM serving.property WHERE state = 'QLD' AND parcel_method = 'legal_id'`,
      )
    )[0]!.n;
  let joined: number;

  beforeAll(async () => {
    dir = await sampleFolder(COUNTRY);
    database = await createDatabase();
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    expect(report.notes.filter((note) => note.includes('legal parcel ids'))).toEqual([]);
    expect(await doctor()).toMatchObject({ status: 'pass' });
    served = await digestOf(database);
    joined = await byId();
    lots = await database.query(
      `SELECT substring(parcel_id FROM 5) AS id, substring(lot_plan FROM '^(.+?)[A-Z]P[0-9]+$') AS lot,
         substring(lot_plan FROM '[A-Z]P[0-9]+$') AS plan, geom FROM record.parcel WHERE state = 'QLD' ORDER BY source_no`,
    );
    expect(lots.length).toBeGreaterThan(50);
    expect(joined).toBeGreaterThan(40);
  });
  afterAll(async () => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('joins where the order alone is another', async () => {
    await refreshWith((lot, plan) => `${plan}/${lot}`);
    expect(await digestOf(database)).toBe(served);
  });

  it('says that no legal id joins, in the report and by doctor, with examples of both sides', async () => {
    const report = await refreshWith((lot, plan) => `Lot ${lot} on ${plan}`);
    expect(await byId()).toBe(0);
    const note = report.notes.find((each) =>
      each.startsWith('cadastre_qld: legal parcel ids do not match.'),
    )!;
    expect(note).toMatch(/None of \d+ addresses that are not units found their parcel by id/);
    const [, said, stand] = /addresses have (.*?); the parcels there have (.*?)\. /.exec(note)!;
    expect(said!.split(', ')).toHaveLength(5);
    expect(stand!.split(', ')).toHaveLength(5);
    for (const text of said!.split(', ')) expect(text).toMatch(/^\w+[A-Z]P\d+$/);
    for (const text of stand!.split(', ')) expect(text).toMatch(/^LOT\w+ON[A-Z]P\d+$/);
    const check = await doctor();
    expect(check).toMatchObject({ status: 'warn' });
    expect(check.message).toContain(note);
  });

  it('joins by patterns of the field map that split and reorder', async () => {
    const report = await refreshWith((lot, plan) => `Lot ${lot} on ${plan}`, { patterns: PATTERNS });
    expect(await digestOf(database)).toBe(served);
    expect(report.notes.filter((note) => note.includes('legal parcel ids'))).toEqual([]);
    expect(await doctor()).toMatchObject({ status: 'pass' });
  });

  it('lists texts that no pattern matches, and uses them unchanged', async () => {
    const report = await refreshWith(
      (lot, plan) => (lot === '1' ? `${lot}/${plan}` : `Lot ${lot} on ${plan}`),
      { patterns: PATTERNS },
      'OGC:1.3:CRS84',
    );
    const { notes } = report.datasets.find(({ dataset }) => dataset === 'cadastre_qld')!;
    expect(notes.join('\n')).toMatch(
      /council\.geojson: \d+ of \d+ lots on plan match no pattern of the field map and are used unchanged: 1\/\w+, /,
    );
    expect(await digestOf(database)).toBe(served);
    // the file names no Australian datum, of which the report and doctor warn
    const note = report.notes.find((each) => each.startsWith('cadastre_qld: its files state EPSG:4326'))!;
    const all = [...report.notes, ...report.datasets.flatMap((each) => each.notes)];
    expect(all.filter((each) => each.includes('names no Australian datum'))).toEqual([note]);
    expect(note).toMatch(/1\.4 to 1\.8 m .*Set crs of the dataset/);
    expect(await doctor()).toMatchObject({ status: 'warn', message: expect.stringContaining(note) });
  });

  it('refuses an invalid pattern', async () => {
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8'));
    config.datasets.cadastre_qld.options.field_map.lot_plan.patterns = [{ match: '(', write: '' }];
    await writeFile(path, stringify(config));
    await expect(refreshSample(database, dir, OPEN_GATES)).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('is not a regular expression'),
    });
  });
});
