import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOWN } from '../countries.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';
import { ROOT } from '../source_tree.ts';
import { HANG_MS } from '../waiting.ts';

const HAS_PROC = existsSync('/proc/self/stat');
if (!HAS_PROC) console.warn('SKIPPED: CPU of calls, which needs /proc.');

describe.skipIf(!HAS_PROC)('what a cent buys', () => {
  let sample: PublishedSample;
  beforeAll(async () => {
    sample = await publishedSample(TOWN);
  });
  afterAll(async () => {
    await sample?.database.drop();
    if (sample) await rm(sample.dir, { recursive: true, force: true });
  });

  it(
    'is no more CPU of the service than other calls of the price take, and little for free and refused calls',
    async () => {
      // Beside other tests: three times the limits of the bench, which exits with 1 beyond them.
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', 'tools/bench/call_cpu.ts', sample.database.url, '20'],
        { cwd: ROOT, env: { ...process.env, GUARD: '3' } },
      );
      const rows = new Map(
        stdout
          .split('\n')
          .filter((line) => line.startsWith('| '))
          .map((line) => line.split('|').map((cell) => cell.trim()))
          .map(([, price, calls]) => [price, Number(calls)]),
      );
      for (const price of ['refused', 'free', '3 c', '10 c', '30 c'])
        expect(rows.get(price), price).toBeGreaterThan(5);
    },
    HANG_MS,
  );
});
