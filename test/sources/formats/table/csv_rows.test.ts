import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CsvRow, csvRowsOf, readCsvRows } from '../../../../sources/formats/table/csv_rows.ts';
import { takeStrayQuotes } from '../../../../sources/formats/table/stray_quotes.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

async function rowsOf(bytes: Uint8Array | string): Promise<CsvRow[]> {
  const path = await folder.write('t.csv', bytes);
  const rows: CsvRow[] = [];
  for await (const row of readCsvRows(path, 't.csv')) rows.push(row);
  return rows;
}

/** Code of an unreadable row, or its cells. */
const cellsOf = ({ cells, problem }: CsvRow): readonly string[] => (problem ? [problem.code] : cells);

describe('a first line that names the delimiter', () => {
  it.each(['\n', '\r\n'])(
    'is none of the records, which it takes apart; lines are counted with it (%j)',
    async (end) => {
      const lines = ['sep=;', 'a;b', '1,5;2', ''].join(end);
      for (const text of [lines, `\uFEFF${lines}`])
        expect(await rowsOf(text)).toEqual([
          { line: 2, cells: ['a', 'b'] },
          { line: 3, cells: ['1,5', '2'] },
        ]);
    },
  );

  it('is an ordinary header if it names several characters', async () => {
    expect((await rowsOf('sep=ab,c\n1,2\n'))[0]!.cells).toEqual(['sep=ab', 'c']);
  });
});

describe('CSV records', () => {
  it.each([
    [
      'a,b\r\n1,2\r\n',
      [1, 2],
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '\uFEFFa,b\n\n1,2',
      [1, 3],
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n"x, ""y""\nz"\nw', [1, 3, 4], [['a'], ['x, "y"\nz'], ['w']]],
    ['a,b\n1\n1,2,3\n', [1, 2, 3], [['a', 'b'], ['1'], ['1', '2', '3']]],
    ['a\n5 " high\n', [1, 2], [['a'], ['5 " high']]],
    ['a\nx\0y\n', [1, 2], [['a'], ['x\uFFFDy']]],
    ['', [], []],
  ])('of %j', async (text, lines, cells) => {
    const rows = await rowsOf(text);
    expect(rows.map((row) => [...row.cells])).toEqual(cells);
    expect(rows.map((row) => row.line)).toEqual(lines);
  });

  it('decode each line in its own encoding', async () => {
    const mixed = Buffer.concat([
      Buffer.from('a\nCafé\n'),
      Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a]),
      Buffer.from('Coöperative'),
    ]);
    expect((await rowsOf(mixed)).map(({ cells }) => cells[0])).toEqual(['a', 'Café', 'café', 'Coöperative']);
  });

  it('are UTF-8 line by line, else windows-1252', async () => {
    expect((await rowsOf('a\nMary’s\n'))[1]!.cells).toEqual(['Mary’s']);
    const late = Buffer.concat([
      Buffer.from(`a\n${'x\n'.repeat(100_000)}Mary`),
      Buffer.from([0x92, 0x73, 0x0a]),
    ]);
    expect((await rowsOf(late)).at(-1)!.cells).toEqual(['Mary’s']);
  });

  it.each([
    ['a,"b\n1,2\n3,4\n', 'bad_csv'],
    ['a,"b" c\n1,2\n', 'bad_csv'],
    [`${'z'.repeat(1_100_000)}\n1\n`, 'line_too_long'],
    [`a\n"${'z'.repeat(1_100_000)}"\n1\n`, 'line_too_long'],
    [`a\n${'z'.repeat(1_100_000)}`, 'line_too_long'],
  ])('end with an error where rows cannot be told apart', async (text, code) => {
    await expect(rowsOf(text)).rejects.toMatchObject({ code, message: expect.stringContaining('t.csv') });
  });

  it('name the line whose quotes keep it from ending', async () => {
    await expect(rowsOf(`a\n${'1\n'.repeat(200_000)}"${'z'.repeat(1_100_000)}"\n`)).rejects.toMatchObject({
      code: 'line_too_long',
      message: expect.stringContaining('the record at line 200002 '),
    });
  });

  it('continue after a line that is too long', async () => {
    const rows = await rowsOf(`a,b\n1,2\n${'z'.repeat(3_000_000)}\n3,4\n${'y'.repeat(1_100_000)}\n5,6\n`);
    expect(rows.map((row) => [row.line, cellsOf(row)])).toEqual([
      [1, ['a', 'b']],
      [2, ['1', '2']],
      [3, ['line_too_long']],
      [4, ['3', '4']],
      [5, ['line_too_long']],
      [6, ['5', '6']],
    ]);
  });

  it('continue after a long line below a quote that is never closed', async () => {
    const rows = await rowsOf(`a,b\n1,"2\n${'z'.repeat(1_100_000)}\n3,4\n`);
    expect(rows.map((row) => [row.line, cellsOf(row)])).toEqual([
      [1, ['a', 'b']],
      [2, ['stray_quote']],
      [3, ['line_too_long']],
      [4, ['3', '4']],
    ]);
  });

  it('end with an error where a line inside a quoted field is too long', async () => {
    await expect(rowsOf(`a,b\n1,"2\n${'z'.repeat(1_100_000)}\n3"\n4,5\n`)).rejects.toMatchObject({
      code: 'line_too_long',
      message: expect.stringContaining('t.csv: the record at line 3 '),
    });
  });

  it.each([' ', '\t', '|'])('count unreadable lines of a file whose delimiter is %j', async (delimiter) => {
    const path = await folder.write('t.csv', `a|b\r\n"1|2\r\n\r\n3|4\r\n5|"6`.replaceAll('|', delimiter));
    const rows: unknown[] = [];
    for await (const row of readCsvRows(path, 't.csv', { delimiter })) rows.push([row.line, ...cellsOf(row)]);
    expect(rows).toEqual([
      [1, 'a', 'b'],
      [2, 'stray_quote'],
      [4, '3', '4'],
      [5, 'stray_quote'],
    ]);
  });

  it('stop on abort, and name a missing file', async () => {
    const path = await folder.write('t.csv', 'a\n1\n');
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(readCsvRows(path, 't.csv', { signal }).next()).rejects.toThrow('stop');
    await expect(readCsvRows(`${path}x`, 't.csv').next()).rejects.toMatchObject({ code: 'missing_file' });
  });

  it('are what csv-parse makes of the same text, however it is cut', async () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      ',',
      ',',
      '"',
      '""',
      '"x"',
      '"y,""z"',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '\r',
      'é',
    );
    const field = fc.constantFrom('', ' a ', '"b c"', ' "d""e" ', '"f,g"', '"h\ni"', '5');
    const plain = fc.array(fc.array(field, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
    const text = fc.oneof(
      fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')),
      plain.map((rows) => rows.map((row) => row.join(',')).join('\r\n')),
    );
    const options = {
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    };
    const quotesThatFit = async (whole: string) => {
      let text = '';
      for await (const run of takeStrayQuotes(Readable.from([whole]), ','))
        text += typeof run === 'string' ? run : run.code;
      return text;
    };
    const outcome = async (work: () => Promise<unknown>) =>
      work().catch((error) => /CSV_|bad_csv/.test(error.code));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 4 }), async (whole, cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length + 60];
        async function* chunks() {
          for (let i = 1; i < places.length; i++) yield whole.slice(places[i - 1], places[i]);
        }
        const text = await quotesThatFit(whole);
        // csv-parse counts a carriage return and line feed inside quotes as two lines
        const lineOf = (line: number) => (whole.includes('\r') ? 0 : line);
        const own = await outcome(async () => {
          const rows = [];
          for await (const row of csvRowsOf(chunks(), 'x')) rows.push([lineOf(row.line), ...cellsOf(row)]);
          return rows;
        });
        const theirs = await outcome(async () =>
          (parse(text, options) as unknown as { record: string[]; info: { lines: number } }[]).map(
            ({ record, info }) => [lineOf(info.lines), ...record],
          ),
        );
        const isRefused = text.trimStart().startsWith('stray_quote');
        expect(own, JSON.stringify(whole)).toEqual(isRefused ? true : theirs);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    [
      'a field that is never closed',
      'x,"y\n1,2\n3,4\n',
      [
        [2, 'stray_quote'],
        [3, '1', '2'],
        [4, '3', '4'],
      ],
    ],
    [
      'a quote that a later row closes',
      'x,"y\n1,2\n3,"z"\n5,6',
      [
        [2, 'stray_quote'],
        [3, '1', '2'],
        [4, '3', 'z'],
        [5, '5', '6'],
      ],
    ],
    [
      'a quote that closes elsewhere',
      '"x,y\n1,2\n3 9",5,7\n',
      [
        [2, 'stray_quote'],
        [3, '1', '2'],
        [4, '3 9"', '5', '7'],
      ],
    ],
    [
      'text behind a quote',
      '"y" z,1\n1,2',
      [
        [2, 'stray_quote'],
        [3, '1', '2'],
      ],
    ],
    [
      'quotes inside quotes',
      '1,"the "old" mill"\r\n1,""C" St"\r\n3,4',
      [
        [2, 'stray_quote'],
        [3, 'stray_quote'],
        [4, '3', '4'],
      ],
    ],
    [
      'the last line',
      '1,2\n3,"4',
      [
        [2, '1', '2'],
        [3, 'stray_quote'],
      ],
    ],
  ])('lose one row to %s', async (_, text, rows) => {
    const found = (await rowsOf(`a,b\n${text}`)).slice(1);
    expect(found.map((row) => [row.line, ...cellsOf(row)])).toEqual(rows);
  });

  it('do not absorb later rows after a stray quote, but keep a quoted text of several lines', async () => {
    const rows = await rowsOf('a,b,c,d\n1,2,3,"x\n4,5,6,y\n7,8,9,6"\n1,2,3,"x, y\n\nz, w"\n');
    expect(rows.slice(1).map((row) => [row.line, ...cellsOf(row)])).toEqual([
      [2, 'stray_quote'],
      [3, '4', '5', '6', 'y'],
      [4, '7', '8', '9', '6"'],
      [7, '1', '2', '3', 'x, y\n\nz, w'],
    ]);
  });

  it('continue after a stray quote in a file of any length', async () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i},${i === 77 ? '"' : ''}text of a row`);
    const rows = await rowsOf(`a,b\n${lines.join('\n')}\n`);
    expect(rows).toHaveLength(200_001);
    expect(rows.filter(({ problem }) => problem?.code === 'stray_quote').map(({ line }) => line)).toEqual([
      79,
    ]);
  });

  it.each([
    [
      'sep=;\r\na;b\r\n1,5;2\r\n',
      [
        [2, 'a', 'b'],
        [3, '1,5', '2'],
      ],
    ],
    [
      '\uFEFF"sep=|"\na|b\n1|"x\ny"\n',
      [
        [2, 'a', 'b'],
        [4, '1', 'x\ny'],
      ],
    ],
    ['SEP=,\na,b\n', [[2, 'a', 'b']]],
    [
      'sep=\n1\n',
      [
        [1, 'sep='],
        [2, '1'],
      ],
    ],
  ])('have the delimiter that the first line of %j states', async (text, rows) => {
    expect((await rowsOf(text)).map(({ line, cells }) => [line, ...cells])).toEqual(rows);
  });

  it('may end with different line ends in one file', async () => {
    const rows = await rowsOf('a,b\r\n1,2\n3,4\r5,6');
    expect(rows.map(({ cells }) => [...cells])).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ]);
  });
});
