import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RowCursor, readDelimited } from '../../../../sources/formats/table/delimited.ts';

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(text: string | Buffer, columns: string[], size = 7) {
  const rows: (string | null | number)[][] = [];
  const bad: [string, number][] = [];
  const source = { file: 'x.psv', chunks: chunksOf(Buffer.from(text as string), size), delimiter: '|' };
  for await (const cursor of readDelimited(source, columns, (line, code) => bad.push([code, line]))) {
    while (cursor.next()) rows.push([cursor.line, ...columns.map((_, i) => cursor.text(i))]);
  }
  return { rows, bad };
}

/** The first field of a one-column file, through `read`. */
async function fieldAs<T>(field: string, read: (cursor: RowCursor) => T): Promise<T> {
  const source = { file: 'x.psv', chunks: chunksOf(Buffer.from(`A|B\n${field}|x\n`), 99), delimiter: '|' };
  for await (const cursor of readDelimited(source, ['A'], () => {})) if (cursor.next()) return read(cursor);
  throw new Error('no row');
}

describe('readDelimited', () => {
  it('finds columns by name, counts lines, passes over blank lines', async () => {
    const { rows, bad } = await readAll('B|A|C\r\n1|2|3\r\n\r\n4||6\r\n|5|\r\n\r\n', ['A', 'B']);
    expect(rows).toEqual([
      [2, '2', '1'],
      [4, null, '4'],
      [5, '5', null],
    ]);
    expect(bad).toEqual([]);
  });

  it('reports lines of a wrong width and goes on', async () => {
    const { rows, bad } = await readAll('A|B\n1\n1|2\n1|2|3\n3|4', ['A', 'B']);
    expect(rows).toEqual([
      [3, '1', '2'],
      [5, '3', '4'],
    ]);
    expect(bad).toEqual([
      ['short_row', 2],
      ['long_row', 4],
    ]);
  });

  it.each([['A'], ['A', 'B']])(
    'reports lines that are too long and reads the others (columns %s %s)',
    async (...names) => {
      const columns = names.filter((name) => name !== undefined);
      const row = columns.map((name) => name.toLowerCase());
      const long = 'z'.repeat(1_300_000);
      const lines = [
        columns.join('|'),
        row.join('|'),
        long,
        row.join('|'),
        '',
        long,
        long,
        row.join('|'),
        '',
      ];
      const { rows, bad } = await readAll(lines.join('\n'), columns, 1 << 16);
      expect(rows).toEqual([2, 4, 8].map((line) => [line, ...row]));
      expect(bad).toEqual([3, 6, 7].map((line) => ['line_too_long', line]));
    },
  );

  it('reads quotes and backslashes literally', async () => {
    const { rows } = await readAll('A|B\n"x|1\\PS2"\n', ['A', 'B']);
    expect(rows).toEqual([[2, '"x', '1\\PS2"']]);
  });

  it('reads the same rows whatever the chunks', async () => {
    const field = fc.string({
      unit: fc.constantFrom('a', 'é', '€', '😀', '"', ' ', '\\', '1'),
      maxLength: 5,
    });
    const table = fc.array(fc.tuple(field, field), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (rows, size, crlf) => {
        const eol = crlf ? '\r\n' : '\n';
        const text = ['A|B', ...rows.map((row) => row.join('|'))].join(eol);
        const read = await readAll(`\uFEFF${text}${eol}`, ['A', 'B'], size);
        expect(read.bad).toEqual([]);
        expect(read.rows).toEqual(rows.map((row, i) => [i + 2, row[0] || null, row[1] || null]));
      }),
    );
  });

  it('names the file, what is missing and what is there', async () => {
    await expect(readAll('A|C\n', ['A', 'B'])).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringMatching(/x\.psv.*no column B.*A, C/),
    });
    await expect(readAll('', ['A'])).rejects.toMatchObject({ code: 'missing_column' });
  });
});

describe('numbers', () => {
  it('decimals read as Number() reads them', async () => {
    const decimal = fc
      .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 9 }))
      .map(([minus, digits, places]) => {
        const text = String(digits).padStart(places + 1, '0');
        const whole = text.slice(0, text.length - places);
        return `${minus ? '-' : ''}${whole}${places > 0 ? `.${text.slice(text.length - places)}` : ''}`;
      });
    await fc.assert(
      fc.asyncProperty(decimal, async (text) => {
        expect(await fieldAs(text, (cursor) => cursor.decimal(0))).toBe(Number(text));
      }),
    );
  });

  it.each(['', '-', '.', '1e2', 'NaN', 'Infinity', '1.2.3', '1 ', '0x1', '+1', '1,5'])(
    '%j is no decimal',
    async (text) => {
      expect(await fieldAs(text, (cursor) => cursor.decimal(0))).toBeNaN();
    },
  );

  it.each([
    ['', null],
    ['0', 0],
    ['-1', -1],
    ['9999', 9999],
    ['10000', Number.NaN],
    ['1.0', Number.NaN],
    ['-', Number.NaN],
    ['x', Number.NaN],
  ])('%j as a small whole number is %s', async (text, expected) => {
    expect(await fieldAs(text, (cursor) => cursor.int2(0))).toBe(expected);
  });
});
