import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteKeys, ByteKeyValues } from '../../../sources/transport/gtfs/byte_keys.ts';
import { scanFields } from '../../../sources/transport/gtfs/field_scan.ts';

async function scan(text: string, columns: readonly string[], chunk = 1 << 16) {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const rows: string[][] = [];
  const lines: number[] = [];
  const short: number[] = [];
  const steps = scanFields(chunks(), 'stop_times.txt', columns, {
    onRow: ({ bytes: held, starts, ends, line }) => {
      rows.push(columns.map((_, i) => Buffer.from(held.subarray(starts[i]!, ends[i]!)).toString('utf8')));
      lines.push(line);
    },
    onShort: (line) => short.push(line),
  });
  for await (const _ of steps);
  return { rows, lines, short };
}

describe('scanning fields', () => {
  it.each([
    ['plain', 'trip_id,x,stop_id\nT1,1,S1\nT2,2,S2\n'],
    [
      'a byte-order mark, quotes, CRLF',
      '\ufeff"trip_id","x","stop_id"\r\n"T1","1","S1"\r\n"T2","2","S2"\r\n',
    ],
    ['line ends of a carriage return only', 'trip_id,x,stop_id\rT1,1,S1\rT2,2,S2'],
    ['commas and line ends in quotes', 'trip_id,x,stop_id\nT1,"a, b\nc",S1\nT2,"say ""no""",S2'],
    ['columns in another order, blanks', 'stop_id, trip_id ,x\n S1 ,T1,1\n\nS2,T2 ,2\n'],
    ['a quote inside a plain field', 'trip_id,x,stop_id\nT1,5" rail,S1\nT2,2,S2\n'],
  ])('%s', async (_, text) => {
    for (const chunk of [1, 2, 7, 1 << 16]) {
      const { rows, short } = await scan(text, ['trip_id', 'stop_id'], chunk);
      expect(rows).toEqual([
        ['T1', 'S1'],
        ['T2', 'S2'],
      ]);
      expect(short).toEqual([]);
    }
  });

  it('reports rows that end too early, with their line', async () => {
    const { rows, short, lines } = await scan('a,b,c\n1,2,3\n1\n1,2\n4,5,6\n', ['a', 'c']);
    expect(rows).toEqual([
      ['1', '3'],
      ['4', '6'],
    ]);
    expect(short).toEqual([3, 4]);
    expect(lines).toEqual([2, 5]);
  });

  it('reads what csv-parse reads', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '1', ',', '"', ' ', '\n', ';'), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 20 }),
        async (rows, chunk) => {
          // quotes inside an identifier are left as they are
          const quoted = ([a, b, c]: readonly string[]) =>
            [a!.replaceAll('"', ''), b!, c!.replaceAll('"', '')]
              .map((v) => `"${v.replaceAll('"', '""')}"`)
              .join(',');
          const text = `a,b,c\n${rows.map(quoted).join('\n')}\n`;
          const expected = (parse(text, { columns: true }) as Record<string, string>[]).map(({ a, c }) => [
            a,
            c,
          ]);
          expect((await scan(text, ['a', 'c'], chunk)).rows).toEqual(expected);
        },
      ),
      { seed: 3, numRuns: 200 },
    );
  });

  it('says what is missing in the header, and refuses lines without an end', async () => {
    await expect(scan('a,b\n1,2\n', ['a', 'trip_id'])).rejects.toThrow(/no column trip_id.*a, b/);
    await expect(scan('', ['a'])).rejects.toThrow(/no column a.*\(empty\)/);
    await expect(scan(`a,b\n"${'x'.repeat(3 << 20)}`, ['a'])).rejects.toThrow(/line 2 is longer/);
    await expect(scan('a,b\n1,"2', ['a'])).rejects.toThrow(/line 2/);
  });
});

describe('numbers of keys', () => {
  it('are those of a Map', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 4 }), { maxLength: 400 }), (keys) => {
        const own = new ByteKeys();
        const map = new Map<string, number>();
        for (const key of keys) {
          const bytes = Buffer.from(`x${key}y`);
          if (!map.has(key)) map.set(key, map.size);
          expect(own.add(bytes, 1, bytes.length - 1)).toBe(map.get(key));
        }
        expect(own.size).toBe(map.size);
        const absent = Buffer.from('longer than any');
        expect(own.find(absent, 0, absent.length)).toBe(-1);
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  it('hold as many as there are', () => {
    const values = new ByteKeyValues();
    for (let i = 0; i < 200_000; i++) {
      const key = Buffer.from(`trip-${i}`);
      values.set(key, 0, key.length, i % 200);
      values.addBits(key, 0, key.length, 1);
    }
    for (let i = 0; i < 200_000; i += 997) {
      const key = Buffer.from(`trip-${i}`);
      expect(values.get(key, 0, key.length)).toBe((i % 200) | 1);
    }
    expect(values.size).toBe(200_000);
    expect(values.get(Buffer.from('no'), 0, 2)).toBe(0);
  });
});
