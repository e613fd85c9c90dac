import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { SourceAdapter } from '../../sources/adapter.ts';
import { asgsAdapter } from '../../sources/asgs/adapter.ts';
import { cadastreAdapter } from '../../sources/cadastre/adapter.ts';
import { zoningAdapter } from '../../sources/zoning/adapter.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { adapterConformance, readPart } from './conformance.ts';
import { datasetOf } from './release_folder.ts';

/** Every state writes its cadastre in its own fields and CRS; three of them write zones. */
const DATASETS: readonly (readonly [SourceAdapter, folder: string, state: string | null])[] = [
  [asgsAdapter, 'asgs', null],
  ...['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'].map(
    (state) => [cadastreAdapter, `cadastre/${state.toLowerCase()}`, state] as const,
  ),
  ...['ACT', 'NSW', 'VIC'].map((state) => [zoningAdapter, `planning/${state.toLowerCase()}`, state] as const),
];

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sample-country-'));
  await generateSampleCountry({ properties: 2000, seed: 3, out });
});
afterAll(() => rm(out, { recursive: true, force: true }));

/** Rows of a table of the sample's truth. */
async function truth(name: string): Promise<Record<string, string>[]> {
  const [header, ...lines] = (await readFile(join(out, 'truth', `${name}.csv`), 'utf8'))
    .trim()
    .split(/\r?\n/);
  const names = header!.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i]!, value])));
}

const datasetIn = (folder: string, state: string | null) =>
  datasetOf(join(out, folder), { id: folder, options: state === null ? {} : { state } });

describe.each(DATASETS)('$name on the sample country: %s', (adapter, folder, state) => {
  adapterConformance(folder, async () => ({ adapter, dataset: await datasetIn(folder, state) }));

  it('drops, rejects and repairs exactly what the truth says', async () => {
    const { release, parts } = await adapter.discover(await datasetIn(folder, state));
    const found = { drops: {}, rejects: {}, repairs: {} } as Record<string, Record<string, unknown>>;
    for (const part of parts) {
      const { rows, rejects, accounts } = await readPart(adapter, release, part);
      for (const { file, drops } of accounts)
        for (const [name, count] of Object.entries(drops)) found.drops![`${file} ${name}`] = count;
      for (const { file, code } of rejects)
        found.rejects![`${file} ${code}`] = Number(found.rejects![`${file} ${code}`] ?? 0) + 1;
      for (const parcel of rows.get(parcelRecord) ?? []) {
        if (parcel.repaired !== null)
          found.repairs![`${accounts[0]!.file} ${parcel.source_no}`] = parcel.repaired;
      }
    }
    const wanted = async (name: string, key: string, value: string) =>
      Object.fromEntries(
        (await truth(name))
          .filter((row) => row.file!.startsWith(`${folder}/`))
          .map((row) => [
            `${row.file!.slice(folder.length + 1)} ${row[key]}`,
            value === 'rows' ? Number(row[value]) : row[value],
          ]),
      );
    expect(found).toEqual({
      drops: await wanted('drops', 'name', 'rows'),
      rejects: await wanted('rejects', 'code', 'rows'),
      repairs: await wanted('repairs', 'at', 'repaired'),
    });
  });
});
