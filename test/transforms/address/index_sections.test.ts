import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/sample/random.ts';
import { openIndex } from '../../../transforms/address/match/address_index.ts';
import { buildSections } from '../../../transforms/address/match/build.ts';
import { type Chunk, chunksOf, SectionsReader } from '../../../transforms/address/match/chunks.ts';
import type { IndexSource } from '../../../transforms/address/match/index_rows.ts';
import { matchAddress } from '../../../transforms/address/match/match.ts';
import { TINY } from './tiny_index.ts';

/** The same elements in another order. */
function shuffled<T>(given: Iterable<T>, seed: number): T[] {
  const random = seededRandom(seed, 'order');
  const keyed = [...given].map((each) => [random.next(), each] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, each]) => each);
}

const TEXTS = [
  '1/12 Smith St, Fitzroy VIC 3065',
  '16 Smith Street Fitzroy 3065',
  '12 Smith St',
  'Lot 5 Old Mine Rd Ballarat',
  'Court House, Old Mine Road, Ballarat Central VIC 3350',
  '33 Brunswick St South, Fitzroy North',
  '99 Nowhere Rd, Fitzroy',
];

describe('the sections of an index', () => {
  it('are the same bytes in whatever order the rows come', async () => {
    const chunks = chunksOf(await buildSections(TINY));
    for (const seed of [1, 2, 3]) {
      const source = Object.fromEntries(
        Object.entries(TINY).map(([name, rows]) => [name, shuffled(rows as Iterable<unknown>, seed)]),
      ) as unknown as IndexSource;
      expect(chunksOf(await buildSections(source))).toEqual(chunks);
    }
  });

  it('come back from their chunks in any order, and match as before', async () => {
    const sections = await buildSections(TINY);
    const reader = new SectionsReader();
    for (const chunk of shuffled(chunksOf(sections), 4)) {
      const bytes = Uint8Array.from(chunk.bytes);
      reader.add({ ...chunk, bytes });
    }
    const read = reader.finish()!;
    expect(read).toEqual(sections);
    const [stored, built] = [openIndex(read), openIndex(sections)];
    for (const text of TEXTS) expect(matchAddress(stored, { text })).toEqual(matchAddress(built, { text }));
  });

  it('are cut into chunks that a row holds', () => {
    const long = Int32Array.from({ length: 2000 }, (_, i) => i * 7);
    const chunks = chunksOf({ long, none: new Int8Array(0) });
    expect(chunks.map(({ section, start, bytes }) => [section, start, bytes.length])).toEqual([
      ['long', 0, 1920],
      ['long', 1920, 1920],
      ['long', 3840, 1920],
      ['long', 5760, 1920],
      ['long', 7680, 320],
      ['none', 0, 0],
    ]);
    const reader = new SectionsReader();
    for (const chunk of chunks) reader.add(chunk);
    expect(reader.finish()).toEqual({ long, none: new Int8Array(0) });
  });

  it('are refused where a chunk or a section is missing', async () => {
    expect(new SectionsReader().finish()).toBeNull();
    const reader = new SectionsReader();
    const chunks: Chunk[] = chunksOf({ long: new Int32Array(2000) });
    for (const chunk of chunks.slice(1)) reader.add(chunk);
    expect(() => reader.finish()).toThrow('lacks 1920 bytes');
    const { 'streets.label': _, ...others } = await buildSections(TINY);
    expect(() => openIndex(others)).toThrow('no section streets.label');
  });
});
