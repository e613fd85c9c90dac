import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CsvRow, readCsvRows } from '../../../sources/formats/csv_rows.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

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
    ['a\nx\0y\n', [1, 2], [['a'], ['xy']]],
    ['', [], []],
  ])('of %j', async (text, lines, cells) => {
    const rows = await rowsOf(text);
    expect(rows.map((row) => [...row.cells])).toEqual(cells);
    expect(rows.map((row) => row.line)).toEqual(lines);
  });

  it('are UTF-8 where the whole file is, else windows-1252', async () => {
    expect((await rowsOf('a\nMary’s\n'))[1]!.cells).toEqual(['Mary’s']);
    const late = Buffer.concat([
      Buffer.from(`a\n${'x\n'.repeat(100_000)}Mary`),
      Buffer.from([0x92, 0x73, 0x0a]),
    ]);
    expect((await rowsOf(late)).at(-1)!.cells).toEqual(['Mary’s']);
  });

  it.each([
    ['a\n1\n"2\n3\n', 'bad_csv'],
    [`a\n${'z'.repeat(1_100_000)}\n1\n`, 'line_too_long'],
  ])('end with an error where rows cannot be told apart', async (text, code) => {
    await expect(rowsOf(text)).rejects.toMatchObject({ code, message: expect.stringContaining('t.csv') });
  });

  it('stop where they are aborted, and name a file that is gone', async () => {
    const path = await folder.write('t.csv', 'a\n1\n');
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(readCsvRows(path, 't.csv', { signal }).next()).rejects.toThrow('stop');
    await expect(readCsvRows(`${path}x`, 't.csv').next()).rejects.toMatchObject({ code: 'missing_file' });
  });
});
