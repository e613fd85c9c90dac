import { describe, expect, it } from 'vitest';
import { tableRows } from '../../../../sources/formats/table/csv_table.ts';

/** Returns whether each row below a header of six columns looks like a footnote. */
async function footnotes(...rows: string[][]): Promise<boolean[]> {
  async function* lines() {
    yield { line: 1, cells: ['id', 'name', 'suburb', 'state', 'lon', 'lat'] };
    for (const [i, cells] of rows.entries()) yield { line: i + 2, cells };
  }
  const found: boolean[] = [];
  for await (const { isLikeFootnote } of tableRows(lines(), () => null)) found.push(isLikeFootnote);
  return found;
}

const ROW = ['7', 'Hall', 'Kew', 'VIC', '145', '-37'];

describe('notes below a table', () => {
  it.each([
    [['Source: Department of Examples']],
    [['Source:', 'Department of Examples', '', '', '', '']],
    [['Note: schools that are open', ' closed', ' and merged', '', '', '']],
    [['1. Figures are of August.']],
    [['(a) Includes campuses', '', '', '', '', '']],
    [['[2] Includes campuses']],
    [['© State of Victoria 2026']],
    [['(c) State of Victoria 2026']],
    [['* Data as at 1 June 2026']],
    [['Extracted 12/03/2026']],
    [['', '', '', '', '', '']],
  ])('are recognised: %j', async (cells) => {
    expect(await footnotes(ROW, cells)).toEqual([false, true]);
    expect(await footnotes(ROW, cells, ROW)).toEqual([false, false, false]);
  });

  it.each([
    [ROW],
    [['', 'Hall', 'Kew', 'VIC', '', '']],
    [['8', 'Source Road', 'Kew', 'VIC', '', '']],
    [['12 High Street', '', '', '', '', '']],
    [['1.5', '', '', '', '', '']],
    [['Noteworthy Hall', 'Old', 'Kew', '', '', '']],
  ])('are no rows: %j', async (cells) => expect(await footnotes(ROW, cells)).toEqual([false, false]));
});
