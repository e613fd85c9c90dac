/**
 * Reads a seeded synthetic G-NAF state from its zip and prints rows and megabytes per second, beside csv-parse on the same
 * bytes. `npx tsx bench/gnaf_read.ts [addresses]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type { DatasetConfig } from '../sources/adapter.ts';
import { listZip, readMember } from '../sources/formats/archive/zip.ts';
import { gnafAdapter } from '../sources/gnaf/adapter.ts';
import { writeSyntheticState } from './synthetic_state.ts';

const CSV_PARSE_OPTIONS = { delimiter: '|', quote: false, bom: true } as const;

function print(what: string, addresses: number, bytes: number, ms: number): void {
  const rate = Math.round((addresses / ms) * 1000).toLocaleString('en');
  console.log(
    `${what.padEnd(34)} ${(ms / 1000).toFixed(2)} s  ${rate} addresses/s  ${(bytes / ms / 1000).toFixed(0)} MB/s`,
  );
}

async function readAll(dataset: DatasetConfig): Promise<number> {
  const { release, parts } = await gnafAdapter.discover(dataset);
  let addresses = 0;
  for (const part of parts) {
    for await (const batch of gnafAdapter.read(release, part, {})) {
      for (const { table, rows } of batch.records ?? [])
        if (table.name === 'address') addresses += rows.length;
    }
  }
  return addresses;
}

async function main(): Promise<void> {
  const addresses = Number(process.argv[2] ?? 300_000);
  const folder = await mkdtemp(join(tmpdir(), 'gnaf-read-'));
  try {
    const path = join(folder, 'g-naf_nov25_synthetic_gda2020_psv.zip');
    await writeSyntheticState(path, addresses);
    const members = await listZip(path, () => true);
    const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
    const dataset = {
      id: 'gnaf',
      files: [{ path, bytes: 0, sha256: '' }],
      release: null,
      crs: null,
      options: {},
    };
    console.log(`${addresses} addresses, ${(bytes / 1e6).toFixed(0)} MB unzipped`);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      const read = await readAll(dataset);
      const ms = performance.now() - start;
      if (read !== addresses) throw new Error(`${read} addresses instead of ${addresses}`);
      best = Math.min(best, ms);
      print('gnaf adapter, zip to batches', addresses, bytes, ms);
    }
    const start = performance.now();
    for (const member of members) {
      const rows = pipeline(readMember(member), parse(CSV_PARSE_OPTIONS), async (records) => {
        for await (const _ of records);
      });
      await rows;
    }
    const ms = performance.now() - start;
    print('csv-parse alone, no join', addresses, bytes, ms);
    console.log(
      `ratio ${(ms / best).toFixed(1)}; peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
