import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewFiles } from '../../pipelines/recognise/file_view.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { adapterNamed } from '../../sources/index.ts';
import { CADASTRE_DELIVERIES } from '../../tools/sample/deliveries/cadastres.ts';
import { HAZARD_DELIVERIES } from '../../tools/sample/deliveries/hazards.ts';
import { TABLE_DELIVERIES } from '../../tools/sample/deliveries/tables.ts';
import { DELIVERIES, writeDeliveries } from '../../tools/sample/deliveries/writer.ts';
import { ZONE_DELIVERIES } from '../../tools/sample/deliveries/zones.ts';
import { Truth } from '../../tools/sample/truth.ts';
import { truthOf } from '../tools/sample/sample_files.ts';
import { adapterConformance } from './conformance.ts';
import { readDataset } from './read_dataset.ts';
import { datasetOf } from './release_folder.ts';

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sample-deliveries-'));
  const truth = new Truth(join(out, 'truth'));
  writeDeliveries(out, truth);
  truth.close();
});
afterAll(() => rm(out, { recursive: true, force: true }));

const delivery = (id: string) => DELIVERIES.find((each) => each.id === id)!;
const dataset = (id: string) => {
  const { options, datum } = delivery(id);
  return datasetOf(join(out, 'deliveries', id), { options, crs: datum });
};
const read = async (id: string) => readDataset(adapterNamed(delivery(id).adapter), await dataset(id));
/** What the truth says of the rows of a delivery that have a fate. */
const truthful = (id: string, fate: string): string[] =>
  truthOf(out, 'deliveries')
    .filter((row) => row.delivery === id && row.fate === fate)
    .map(({ what }) => what!)
    .sort();
const counts = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]));

describe.each(DELIVERIES.map(({ id }) => id))('%s', (id) => {
  adapterConformance(id, async () => ({
    adapter: adapterNamed(delivery(id).adapter),
    dataset: await dataset(id),
  }));

  it('loses no row but by the names that the truth has', async () => {
    const result = await read(id);
    expect(result.drops).toEqual(counts(truthful(id, 'drop')));
    expect(result.rejects.map(({ code }) => code)).toEqual(truthful(id, 'reject'));
    const loaded = result.accounts.filter(({ file }) => file !== 'option coverage');
    expect(loaded.reduce((sum, { records }) => sum + records, 0)).toBe(truthful(id, 'is').length);
    expect(result.accounts.flatMap(({ unknown }) => Object.keys(unknown ?? {}))).toEqual([]);
  });

  it('is what inspect proposes', async () => {
    const { files } = await dataset(id);
    const { adapter, state, map } = delivery(id);
    for (const { proposals } of await viewFiles(files.map(({ path }) => path))) {
      expect(proposals[0]).toMatchObject({ adapter, options: { state } });
      if (map !== null) expect(proposals[0]!.options.field_map).toBe(map);
    }
  });
});

describe.each(ZONE_DELIVERIES.map(({ id }) => id))('zones of %s', (id) => {
  it('have the code, name and category of the truth', async () => {
    const zones = (await read(id)).rowsOf(zonePieceRecord);
    // a zone on the edge of a cell is in two pieces
    const told = new Map(
      zones.map(({ zone_id, code, name, category }) => [zone_id, `${code ?? '-'}|${name}|${category}`]),
    );
    expect([...told.values()].sort()).toEqual(truthful(id, 'is'));
  });
});

describe.each(CADASTRE_DELIVERIES.map(({ id }) => id))('parcels of %s', (id) => {
  const plain = (text: string | null): string => (text ?? '').replace(/[^A-Z0-9]/gi, '');

  it('are the lots of the truth', async () => {
    const lots = (await read(id)).rowsOf(parcelRecord).map(({ lot_plan }) => plain(lot_plan));
    expect([...new Set(lots)].sort()).toEqual([...new Set(truthful(id, 'is').map(plain))].sort());
  });
});

describe.each(HAZARD_DELIVERIES.map(({ id }) => id))('hazards of %s', (id) => {
  it('have the name and rank of the truth', async () => {
    const found = (await read(id)).rowsOf(hazardPieceRecord);
    const told = new Map(
      found.map(({ feature_id, name, severity, is_assessed }) => [
        feature_id,
        `${name}|${severity ?? '-'}|${is_assessed ? 'assessed' : 'not assessed'}`,
      ]),
    );
    expect([...told.values()].sort()).toEqual(truthful(id, 'is'));
  });
});

describe('tables', () => {
  const tables = async (id: string) => {
    const { adapter, options } = TABLE_DELIVERIES.find((each) => each.id === id)!;
    return readDataset(adapterNamed(adapter), await datasetOf(join(out, 'deliveries', id), { options }));
  };
  const of = (id: string, file: string) =>
    truthOf(out, 'deliveries').filter((row) => row.delivery === id && row.file === file);
  const dropsOf = (rows: readonly Record<string, string>[]) =>
    counts(rows.filter(({ fate }) => fate === 'drop').map(({ what }) => what!));

  it('Perth: stops and routes of school services are dropped', async () => {
    const result = await tables('wa_perth_stops');
    for (const file of ['routes.txt', 'stops.txt'])
      expect(result.accounts.find((each) => each.file.endsWith(file))!.drops).toEqual(
        dropsOf(of('wa_perth_stops', file)),
      );
    const stops = of('wa_perth_stops', 'stops.txt').filter(({ fate }) => fate === 'is');
    expect(
      result
        .rowsOf(stopRecord)
        .map(({ mode }) => mode)
        .sort(),
    ).toEqual(stops.map(({ what }) => what).sort());
    expect(result.rejects).toEqual([]);
  });

  it('ACARA: closed schools are dropped, and a centre is marked as special', async () => {
    const result = await tables('acara_closed_schools');
    const rows = of('acara_closed_schools', 'School Profile 2024.csv');
    expect(result.drops).toEqual(dropsOf(rows));
    const told = result.rowsOf(schoolRecord).map(({ level, is_special }) => (is_special ? 'Special' : level));
    expect(told.sort()).toEqual(
      rows
        .filter(({ fate }) => fate === 'is')
        .map(({ what }) => what)
        .sort(),
    );
  });
});
