import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { copySample, editTable } from '../damage.ts';
import { ONE_STATEMENT, type Seen } from '../readers.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

const READERS = fileURLToPath(new URL('../readers.ts', import.meta.url));
/** Publications in a row; PUBLICATIONS makes it more: 50 are those of docs/performance.md. */
const PUBLICATIONS = Number(process.env.PUBLICATIONS ?? 8);
/** What a publication may add to the longest read, in milliseconds; the machine of a test run has other work. */
const STALL_MS = 1000;

describe('publications under readers', () => {
  let parent: string;
  let sample: string;
  let database: TestDatabase;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'publications-'));
    ({ database, dir: sample } = await publishedSample());
  });

  afterAll(async () => {
    await database?.drop();
    for (const dir of [sample, parent]) await rm(dir, { recursive: true, force: true });
  });

  it('show each reader one publication or the next, without an error and without holding it up', async () => {
    const other = await copySample(sample, parent);
    await editTable(other, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 3 !== 2));
    const { config } = await loadConfig({ config: join(sample, 'config.yaml') }, {});
    const expected = new Set<string>();
    const note = async (): Promise<void> => {
      expected.add((await database.query<{ state: string }>(ONE_STATEMENT))[0]!.state);
    };
    await note();
    expect((await refreshSample(database, other, OPEN_GATES)).state).toBe('published');
    await note();
    const child = spawn(process.execPath, ['--import', 'tsx', READERS, database.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const windows: [number, number][] = [];
    const now = (): number => performance.timeOrigin + performance.now();
    try {
      // Each goes back to what was served before the last one: a publication like any other, without computing.
      for (let n = 0; n < PUBLICATIONS; n++) {
        const started = now();
        await rollback({ url: database.url, config, to: null, reason: 'test' });
        windows.push([started, now()]);
      }
      await note();
    } finally {
      child.stdin.end();
      await ended;
    }
    expect(expected.size).toBe(2);
    const seen = JSON.parse(output) as Seen[];
    for (const { states, errors } of seen) {
      expect(errors).toEqual([]);
      expect(Object.keys(states).filter((state) => !expected.has(state))).toEqual([]);
    }
    // The first reads of a session plan and warm up, whatever is published meanwhile.
    const reads = seen.flatMap((one) => one.reads.slice(3));
    const during = ([start, ms]: [number, number]): boolean =>
      windows.some(([from, to]) => start < to && start + ms > from);
    const longest = (of: typeof reads): number => of.reduce((most, [, ms]) => Math.max(most, ms), 0);
    const inside = reads.filter(during);
    const outside = reads.filter((read) => !during(read));
    const sorted = inside.map(([, ms]) => ms).sort((a, b) => a - b);
    const spent = windows.map(([from, to]) => to - from).sort((a, b) => a - b);
    console.log(
      `${PUBLICATIONS} publications: ${inside.length} of ${reads.length} reads during them, 0 errors, 0 mixes; read median ` +
        `${sorted[sorted.length >> 1]!.toFixed(1)} ms, 99 in 100 below ${sorted[Math.floor(sorted.length * 0.99)]!.toFixed(1)} ms, longest ${longest(inside).toFixed(1)} ms (${longest(outside).toFixed(1)} ms otherwise); ` +
        `publication median ${spent[spent.length >> 1]!.toFixed(0)} ms`,
    );
    expect(inside.length).toBeGreaterThan(PUBLICATIONS);
    expect(longest(inside)).toBeLessThan(longest(outside) + STALL_MS);
  });
});
