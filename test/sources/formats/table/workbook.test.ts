import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findHeaderRow, openWorkbook } from '../../../../sources/formats/table/workbook.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';
import { xlsxBytes } from '../../workbook_fixture.ts';
import { zipBytes } from '../../zip_writer.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';

/** A minimal workbook of one sheet with this content of <sheetData>. */
function handMade(sheetData: string, workbook?: string): Promise<Buffer> {
  const xml = (text: string): Buffer => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
  return zipBytes([
    { name: '[Content_Types].xml', bytes: xml(TYPES) },
    {
      name: 'xl/_rels/workbook.xml.rels',
      bytes: xml(
        `<Relationships><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/s1.xml"/></Relationships>`,
      ),
    },
    {
      name: 'xl/workbook.xml',
      bytes: xml(
        workbook ??
          `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
      ),
    },
    {
      name: 'xl/worksheets/s1.xml',
      bytes: xml(`<worksheet><sheetData>${sheetData}</sheetData></worksheet>`),
    },
  ]);
}

const failure = (promise: Promise<unknown>): Promise<{ code: string; message: string }> =>
  promise.then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );

describe('a workbook', () => {
  it('may leave out the references of rows and cells', async () => {
    const text = (value: string, r = '') => `<c${r} t="inlineStr"><is><t>${value}</t></is></c>`;
    const bytes = await handMade(
      `<row>${text('Café')}${text('b')}<c/><c><v>4</v></c></row><row r="4">${text('c', ' r="C4"')}${text('d')}</row><row>${text('e')}</row>`,
    );
    const rows = await (await openWorkbook(await folder.write('bare.xlsx', bytes), 'bare.xlsx')).read('A');
    expect(rows.map(({ line, cells }) => [line, ...cells].join('|'))).toEqual([
      '1|Café|b||4',
      '2||||',
      '3||||',
      '4|||c|d',
      '5|e|||',
    ]);
  });

  it.each([
    ['xl/workbook22.xml', 'xl/workbook22.xml', 'worksheets/s1.xml'],
    ['/book/main.xml', 'book/main.xml', '../xl/worksheets/s1.xml'],
    ['main.xml', 'main.xml', '/xl/worksheets/s1.xml'],
  ])('may be at %s', async (target, name, sheet) => {
    const xml = (text: string): Buffer => Buffer.from(`<?xml version="1.0"?>${text}`);
    const relations = name.replace(/([^/]+)$/, '_rels/$1.rels');
    const bytes = await zipBytes([
      {
        name: '_rels/.rels',
        bytes: xml(
          `<Relationships><Relationship Id="r1" Type="${RELATIONS}/officeDocument" Target="${target}"/></Relationships>`,
        ),
      },
      {
        name: relations,
        bytes: xml(
          `<Relationships><Relationship Id="r&amp;1" Type="${RELATIONS}/worksheet" Target="${sheet}"/></Relationships>`,
        ),
      },
      {
        name,
        bytes: xml(
          `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="r&amp;1"/></sheets></workbook>`,
        ),
      },
      {
        name: 'xl/worksheets/s1.xml',
        bytes: xml('<worksheet><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>'),
      },
    ]);
    const workbook = await openWorkbook(await folder.write('elsewhere.xlsx', bytes), 'elsewhere.xlsx');
    expect(await workbook.read('A')).toEqual([{ line: 1, cells: ['7'] }]);
  });

  it('gives the rows of a named sheet as text, with their row numbers', async () => {
    const path = await folder.write(
      'two.xlsx',
      await xlsxBytes([
        { name: 'Notes', rows: [['nothing here']] },
        {
          name: 'Data 2025',
          rows: [['Title'], [], ['ID', ' Name '], [40_000, 'Äpfel & "Birnen"'], [1.5, null]],
        },
      ]),
    );
    const workbook = await openWorkbook(path, 'two.xlsx');
    expect(workbook.sheets).toEqual(['Notes', 'Data 2025']);
    const rows = await workbook.read('Data 2025');
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
    expect(rows.slice(2).map(({ cells }) => [...cells])).toEqual([
      ['ID', 'Name'],
      ['40000', 'Äpfel & "Birnen"'],
      ['1.5', ''],
    ]);
    expect(findHeaderRow(rows, [/^id$/i, /^name$/i])).toBe(2);
    expect(findHeaderRow(rows, [/^absent$/i])).toBe(-1);
  });

  it('writes whole numbers without decimals, however the file spells them', async () => {
    const path = await folder.write(
      'floats.xlsx',
      await handMade('<row r="1"><c r="A1"><v>40000.0</v></c><c r="B1"><v>8.0E2</v></c></row>'),
    );
    const rows = await (await openWorkbook(path, 'floats.xlsx')).read('A');
    expect(rows).toEqual([{ line: 1, cells: ['40000', '800'] }]);
  });

  it.each([
    ['a cell at the far corner', '<row r="1"><c r="XFD1048576"><v>1</v></c></row>', 'archive_bomb'],
    ['a cell whose place is an entity', '<row r="1"><c r="&#88;FD1"><v>1</v></c></row>', 'bad_workbook'],
  ])('is not read: %s', async (_what, content, code) => {
    const path = await folder.write('far.xlsx', await handMade(content));
    const workbook = await openWorkbook(path, 'far.xlsx');
    expect((await failure(workbook.read('A'))).code).toBe(code);
  });
});
