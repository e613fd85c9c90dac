import writeExcelFile from 'write-excel-file/node';

/** A sheet of a workbook to write. */
export interface FixtureSheet {
  name: string;
  rows: (string | number | null)[][];
}

/** Bytes of an .xlsx with these sheets. */
export const xlsxBytes = (sheets: readonly FixtureSheet[]): Promise<Buffer> =>
  writeExcelFile(sheets.map(({ name, rows }) => ({ sheet: name, data: rows }))).toBuffer();
