import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFeatureFiles } from '../../../sources/release/feature_release.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import { datasetOf } from '../release_folder.ts';
import { DAMAGES } from './damages.ts';
import { ROWS, type WholeFile, wholeFiles } from './hostile_files.ts';
import { type Outcome, outcomeOf } from './hostile_reading.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let next = 0;
/** Reads a file of which nothing but its bytes has changed. */
async function read(file: WholeFile, bytes: Uint8Array): Promise<Outcome> {
  const own = join(folder, String(next++));
  await mkdir(own);
  try {
    for (const [name, each] of Object.entries({ ...file.beside, [file.name]: bytes }))
      await writeFile(join(own, name), each);
    return await outcomeOf(file.kind, join(own, file.name.replace(/\.dbf$/, '.shp')));
  } finally {
    await rm(own, { recursive: true });
  }
}

/** Whatever a file holds, its reading ends with rows, rejects, or an error with a code that names the file. */
function expectOrderly(outcome: Outcome, what: string): void {
  expect(outcome.error ?? 'code', what).toMatch(/^[a-z_]+$/);
  expect(outcome.isNamed, `${what}: ${outcome.error} names the file`).toBe(true);
}

const isRefused = ({ error, rejects }: Outcome): boolean => error !== null || rejects.length > 0;

describe.each(await wholeFiles())('$name', (file) => {
  const { bytes, isOpen, flips } = file;
  let whole: Outcome;
  beforeAll(async () => {
    whole = await read(file, bytes);
  });

  it('whole gives its rows', () => {
    expect(whole).toMatchObject({ error: null, rejects: [] });
    expect(whole.rows).toBeGreaterThanOrEqual(ROWS);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['a page of HTML', Buffer.from(`<!DOCTYPE html><html>${'<p>Please log in</p>'.repeat(200)}</html>`)],
    ['zeros', Buffer.alloc(5000)],
    ['a JPEG', Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.alloc(5000, 0xa5)])],
  ])('%s is refused', async (what, other) => {
    const outcome = await read(file, other);
    expectOrderly(outcome, what);
    expect(isRefused(outcome)).toBe(true);
    expect(outcome.rows).toBe(0);
  });

  it('cut off is never taken for whole', async () => {
    const steps = Array.from({ length: 100 }, (_, i) => Math.floor((bytes.length * (i + 1)) / 101));
    const ends = Array.from({ length: 8 }, (_, i) => bytes.length - 1 - i);
    for (const length of [1, 4, 8, 12, 16, 32, 100, ...steps, ...ends]) {
      const outcome = await read(file, bytes.subarray(0, length));
      const what = `cut at ${length} of ${bytes.length}`;
      expectOrderly(outcome, what);
      expect(outcome.rows, what).toBeLessThanOrEqual(whole.rows);
      if (!isOpen && outcome.rows < whole.rows) expect(isRefused(outcome), what).toBe(true);
      if (outcome.error !== null && length > 0) expect(outcome.error, what).toMatch(file.cut);
    }
  });

  it('with bits flipped or bytes overwritten ends in order, and without a silently missing row', async () => {
    const { next: random } = seededRandom(17, file.name);
    for (let i = 0; i < flips; i++) {
      const damaged = Buffer.from(bytes);
      for (let n = 0; n <= i % 3; n++) {
        // half of them at the front or the end, where the structure of most formats is
        const place =
          i % 4 === 0
            ? Math.min(200, bytes.length)
            : i % 4 === 1
              ? -Math.min(200, bytes.length)
              : bytes.length;
        const at = Math.floor(random() * Math.abs(place)) + (place < 0 ? bytes.length + place : 0);
        const flipped = damaged[at]! ^ (1 << Math.floor(random() * 8));
        damaged[at] = i % 5 < 3 ? flipped : i % 5 === 3 ? 0 : 0xff;
      }
      const outcome = await read(file, damaged);
      expectOrderly(outcome, `flip ${i}`);
      const isTold = isRefused(outcome) || outcome.notes.length > whole.notes.length;
      if (!isOpen && outcome.rows < whole.rows) expect(isTold, `flip ${i}: rows are missing`).toBe(true);
    }
  });

  const own = DAMAGES.filter(([name]) => name === file.name);
  it.each(own.map(([, ...damage]) => damage))('with %s', async (what, make, { member, ...expected }) => {
    const outcome = await read(file, await make(bytes));
    expectOrderly(outcome, what);
    expect(outcome, what).toMatchObject(expected);
    expect(outcome.message).toContain(member ?? '');
  });
});

describe('damaged companion files of a .shp', () => {
  const noise = Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 151 + 7) % 256));
  const crs = { code: 'unknown_crs' };

  it.each([
    ['an index of noise', 'shx', noise, null],
    ['an empty index', 'shx', Buffer.alloc(0), null],
    ['an encoding of noise', 'cpg', noise, 'unknown_encoding'],
    ['an encoding of zeros, which is none', 'cpg', Buffer.alloc(300), null],
  ])('%s (.%s)', async (_what, part, bytes, error) => {
    const shp = (await wholeFiles()).find(({ name }) => name === 'a.shp')!;
    const outcome = await read({ ...shp, beside: { ...shp.beside, [`a.${part}`]: bytes } }, shp.bytes);
    expect(outcome).toMatchObject({ error, isNamed: true, rows: error === null ? ROWS : 0, rejects: [] });
  });

  it.each([
    ['noise', noise],
    ['zeros', Buffer.alloc(300)],
    ['brackets without end', Buffer.from('GEOGCS['.repeat(100_000))],
    ['half a .prj', Buffer.from('GEOGCS["GCS_GDA2020",DATUM["D_GDA')],
  ])('a CRS of %s (.prj)', async (what, bytes) => {
    const shp = (await wholeFiles()).find(({ name }) => name === 'a.shp')!;
    const own = join(folder, `prj ${what}`);
    await mkdir(own);
    const files = { ...shp.beside, 'a.shp': shp.bytes, 'a.prj': bytes };
    for (const [name, each] of Object.entries(files)) await writeFile(join(own, name), each);
    await expect(findFeatureFiles(await datasetOf(own), null)).rejects.toMatchObject(crs);
  });
});
