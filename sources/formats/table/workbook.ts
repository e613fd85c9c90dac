import { posix } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { SaxesParser } from 'saxes';
import yazl from 'yazl';
import { EtlError } from '../../../schema/errors.ts';
import { archiveBomb, bytesOf, listZip, type ZipMember } from '../archive/zip.ts';
import { columnOf, withReferences } from './cell_references.ts';

/** Maximum unpacked bytes of one member; the largest published sheet, twelve years of school profiles, is below 300 MiB. */
const MAX_MEMBER_BYTES = 384 * 2 ** 20;
/** Bytes of memory for each unpacked byte of a sheet and of its shared strings. Measured. */
const MEMORY_OF_BYTE = 10;
/** Maximum cells of the box around a sheet: a reader allocates the whole box, however few of its cells are filled. */
const MAX_BOX_CELLS = 20_000_000;
/** Characters that no text column can hold: NUL and lone surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;
const SHEETS_OF_RELS = /\/worksheet$/;
/** Path of the workbook, unless the relations of the zip name another member. */
const USUAL_WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** One row of a sheet as text, trimmed; an empty cell is ''. Whole numbers have no decimal point, dates are YYYY-MM-DD. */
export interface SheetRow {
  /** Row number in the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** An .xlsx whose directory and list of sheets have been read. No file is kept open. */
export interface Workbook {
  /** Name for messages. */
  readonly file: string;
  /** Names of the sheets, in order. */
  readonly sheets: readonly string[];
  /**
   * Reads all rows of a sheet, including blank ones. The whole sheet is in memory: about ten times its unpacked bytes. EtlErrors:
   * `bad_workbook`, `archive_bomb`, `file_too_large` (more than the heap).
   */
  read(sheet: string, signal?: AbortSignal): Promise<SheetRow[]>;
}

const bad = (file: string, problem: string, cause?: unknown): EtlError =>
  new EtlError('bad_workbook', `${file}: ${problem}. Save it as .xlsx again, or fetch it again.`, {
    details: { file },
    cause,
  });

/**
 * Opens an .xlsx and reads the names of its sheets. EtlError: `missing_file`, `bad_archive` (not a zip, truncated), `unsafe_archive`,
 * `archive_bomb` (a member unpacks to more than 384 MiB), `bad_workbook` (a zip, but not a workbook).
 */
export async function openWorkbook(path: string, file: string): Promise<Workbook> {
  const zipMembers = await listZip(path, (name) => /\.(xml|rels)$/i.test(name), {
    file,
    memberBytes: MAX_MEMBER_BYTES,
  });
  const members = new Map(zipMembers.map((member) => [member.name.replace(/^\//, ''), member]));
  const name = await workbookIn(members, file);
  const relations = relationsOf(name);
  for (const each of [name, relations])
    if (!members.has(each)) throw bad(file, `it has no ${each}, so it is not a workbook`);
  const workbook = members.get(name)!;
  const targets = await readTargets(members.get(relations)!, posix.dirname(name), file);
  const sheets = await readSheetNames(workbook, file);
  return {
    file,
    sheets: sheets.map((sheet) => sheet.name),
    read: (sheet, signal) => readRows({ members, workbook, targets, sheets, file }, sheet, signal),
  };
}

/** Content of a workbook that is read when it is opened. */
interface Contents {
  readonly members: ReadonlyMap<string, ZipMember>;
  readonly workbook: ZipMember;
  readonly targets: ReadonlyMap<string, string>;
  readonly sheets: readonly { name: string; relation: string }[];
  readonly file: string;
}

const relationsOf = (name: string): string =>
  `${posix.dirname(name)}/_rels/${posix.basename(name)}.rels`.replace(/^\.\//, '');

/** Returns the path of a target in the zip; a relative target is in `folder`. */
const pathOf = (target: string, folder: string): string =>
  target.startsWith('/') ? target.slice(1) : posix.join(folder, target);

/** Returns the name of the workbook's main member. */
async function workbookIn(members: ReadonlyMap<string, ZipMember>, file: string): Promise<string> {
  const relations = members.get('_rels/.rels');
  let workbookPath = USUAL_WORKBOOK;
  if (relations !== undefined)
    await eachTag(relations, file, (name, { Type = '', Target }) => {
      if (name === 'Relationship' && Type.endsWith('/officeDocument') && Target !== undefined)
        workbookPath = pathOf(Target, '');
    });
  return workbookPath;
}

/** Returns the index of the header row: the first row in which every pattern matches some cell; -1: none among the first 60 rows. */
export function findHeaderRow(rows: readonly SheetRow[], patterns: readonly RegExp[]): number {
  return rows
    .slice(0, 60)
    .findIndex(({ cells }) => patterns.every((pattern) => cells.some((cell) => pattern.test(cell))));
}

/** Calls `onTag` for every element of a small XML member; refuses entities that the file defines. */
async function eachTag(
  member: ZipMember,
  file: string,
  onTag: (name: string, attributes: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw bad(file, `${member.name} is not readable XML (${error.message})`, error);
  });
  parser.on('opentag', (tag) =>
    onTag(tag.name.replace(/^.*:/, ''), tag.attributes as Record<string, string>),
  );
  parser.write((await bytesOf(member)).toString('utf8')).close();
}

/** Reads the paths of the members by relation id, and of the shared strings and styles under those names. */
async function readTargets(member: ZipMember, folder: string, file: string): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  await eachTag(member, file, (name, { Id, Type = '', Target }) => {
    if (name !== 'Relationship' || Id === undefined || Target === undefined) return;
    const path = pathOf(Target, folder);
    if (SHEETS_OF_RELS.test(Type)) targets.set(Id, path);
    else if (/\/(sharedStrings|styles)$/.test(Type)) targets.set(Type.replace(/^.*\//, ''), path);
  });
  return targets;
}

async function readSheetNames(
  member: ZipMember,
  file: string,
): Promise<{ name: string; relation: string }[]> {
  const sheets: { name: string; relation: string }[] = [];
  await eachTag(member, file, (tag, attributes) => {
    if (tag !== 'sheet' || attributes.name === undefined) return;
    const key = Object.keys(attributes).find((each) => /(^|:)id$/.test(each));
    if (key !== undefined) sheets.push({ name: attributes.name, relation: attributes[key]! });
  });
  if (sheets.length === 0) throw bad(file, 'it lists no sheets');
  return sheets;
}

async function readRows(
  { members, workbook, targets, sheets, file }: Contents,
  sheet: string,
  signal?: AbortSignal,
): Promise<SheetRow[]> {
  const position = sheets.findIndex(({ name }) => name === sheet);
  const path = targets.get(sheets[position]?.relation ?? '');
  const member = path === undefined ? undefined : members.get(path);
  if (member === undefined) throw bad(file, `sheet ${sheet} has no content in the zip`);
  checkMemory(
    member.bytes + (members.get(targets.get('sharedStrings') ?? '')?.bytes ?? 0),
    `${file} › ${sheet}`,
  );
  const content = withReferences(await bytesOf(member, signal));
  checkBox(content, `${file} › ${sheet}`);
  // The reader gets a zip of checked members only, so it unpacks neither other sheets nor members with false sizes.
  const parts: [string, Buffer][] = [
    [path!, content],
    [USUAL_WORKBOOK, await bytesOf(workbook, signal)],
  ];
  const relations = [relation(sheets[position]!.relation, 'worksheet', path!)];
  for (const kind of ['sharedStrings', 'styles']) {
    const name = targets.get(kind);
    const part = members.get(name ?? '');
    if (part === undefined) continue;
    parts.push([name!, await bytesOf(part, signal)]);
    relations.push(relation(kind, kind, name!));
  }
  parts.push([
    relationsOf(USUAL_WORKBOOK),
    Buffer.from(`<Relationships>${relations.join('')}</Relationships>`),
  ]);
  let rows: readonly (readonly unknown[])[];
  try {
    // Loaded here because it is large, and most runs read no workbook.
    const { readSheet } = await import('read-excel-file/node');
    rows = await readSheet(await storedZip(parts), position + 1, {});
  } catch (cause) {
    throw bad(file, `sheet ${sheet} cannot be read (${(cause as Error).message})`, cause);
  }
  signal?.throwIfAborted();
  return rows.map((cells, i) => ({ line: i + 1, cells: cells.map(textOf) }));
}

const escaped = (text: string): string => text.replace(/[<>&"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

const relation = (id: string, kind: string, path: string): string =>
  `<Relationship Id="${escaped(id)}" Type="${RELATIONS}/${kind}" Target="/${escaped(path)}"/>`;

/** Refuses a sheet that does not fit into this program's memory: it would end the program without a message. */
function checkMemory(bytes: number, file: string): void {
  const heap = getHeapStatistics().heap_size_limit;
  if (bytes * MEMORY_OF_BYTE <= heap) return;
  const megabytes = (each: number): string => `${Math.ceil(each / 2 ** 20)} MiB`;
  throw new EtlError(
    'file_too_large',
    `${file}: its ${megabytes(bytes)} take about ${megabytes(bytes * MEMORY_OF_BYTE)} of memory, and this program may use ${megabytes(heap)}. Save the sheet as CSV, which is read row by row, or allow more: NODE_OPTIONS=--max-old-space-size=${Math.ceil((bytes * MEMORY_OF_BYTE) / 2 ** 20)}`,
    { details: { file, bytes, heap } },
  );
}

/** Refuses a sheet with cells so far out that the box around them would not fit into memory. */
function checkBox(content: Buffer, file: string): void {
  let [width, height] = [0, 0];
  for (const [, , at = ''] of content
    .toString('latin1')
    .matchAll(/<(?:\w+:)?(?:c|row)\b[^>]*?\sr\s*=\s*(["'])(.*?)\1/g)) {
    const cellReference = /^([A-Z]{0,3})(\d{1,7})$/.exec(at);
    if (cellReference === null) throw bad(file, `it has a cell at ${JSON.stringify(at.slice(0, 20))}`);
    const column = columnOf(cellReference[1]!);
    if (column > width) width = column;
    if (Number(cellReference[2]) > height) height = Number(cellReference[2]);
  }
  if (width * height > MAX_BOX_CELLS) {
    const span = `${width} columns and ${height} rows`;
    throw archiveBomb(file, `its cells span ${span}, more than ${MAX_BOX_CELLS} cells`);
  }
}

async function storedZip(members: readonly (readonly [string, Buffer])[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, bytes] of members) zip.addBuffer(bytes, name, { compress: false });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString().slice(0, 10);
  return String(value).replace(UNSTORABLE, '').trim();
}
