import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { EtlError } from '../../../schema/errors.ts';
import { readFully } from '../archive/read_fully.ts';
import type { TextDecode } from '../table/encoding.ts';

/** One column of a dBASE table. `offset` counts bytes from the start of a record. */
export interface DbfField {
  readonly name: string;
  /** dBASE type letter: C text, N and F numbers, D date, L logical, I int32, O double. */
  readonly type: string;
  readonly length: number;
  readonly decimals: number;
  readonly offset: number;
}

/** Header of a .dbf; `count` includes records marked as deleted. */
export interface DbfHeader {
  readonly count: number;
  readonly headerBytes: number;
  readonly recordBytes: number;
  readonly fields: readonly DbfField[];
  /** Date of the last change stated in the file, `YYYY-MM-DD`; null: not a date. */
  readonly changed: string | null;
}

const FIELD_BYTES = 32;
/** First byte of a record that is marked as deleted. */
export const DELETED = 0x2a;
const TERMINATOR = 0x0d;

function badDbf(file: string, what: string): EtlError {
  return new EtlError('bad_dbf', `${file}: ${what}. Deliver the file again.`, { details: { file } });
}

/** Parses the header of a dBASE III table from the first bytes of the file. EtlError `bad_dbf` names the file. */
export function parseDbfHeader(bytes: Uint8Array, file: string): DbfHeader {
  if (bytes.length < FIELD_BYTES)
    throw badDbf(file, `the .dbf is ${bytes.length} bytes long, its header alone has 32`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerBytes = view.getUint16(8, true);
  const recordBytes = view.getUint16(10, true);
  if (headerBytes < 33 || recordBytes < 1) {
    throw badDbf(file, `the .dbf header states ${headerBytes} header bytes and ${recordBytes} record bytes`);
  }
  if (bytes.length < headerBytes)
    throw badDbf(file, `the .dbf ends inside its header of ${headerBytes} bytes`);
  const fields: DbfField[] = [];
  let offset = 1;
  for (let at = FIELD_BYTES; at + FIELD_BYTES <= headerBytes && bytes[at] !== TERMINATOR; at += FIELD_BYTES) {
    let name = '';
    for (let i = at; i < at + 11 && bytes[i] !== 0; i++) name += String.fromCharCode(bytes[i]!);
    const length = bytes[at + 16]!;
    fields.push({
      name: name.trim(),
      type: String.fromCharCode(bytes[at + 11]!),
      length,
      decimals: bytes[at + 17]!,
      offset,
    });
    offset += length;
  }
  if (offset > recordBytes) {
    throw badDbf(file, `the .dbf columns need ${offset} bytes a record, the header states ${recordBytes}`);
  }
  return {
    count: view.getUint32(4, true),
    headerBytes,
    recordBytes,
    fields,
    changed: dateOf(1900 + bytes[1]!, bytes[2]!, bytes[3]!),
  };
}

function dateOf(year: number, month: number, day: number): string | null {
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return null;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** A run of records in memory; cells are decoded when they are read. */
export class DbfRows {
  readonly #bytes: Buffer;
  readonly #stride: number;
  readonly #decode: TextDecode;
  /** Last text of each column, with its start and end, by column offset. Neighbours often repeat a value. */
  readonly #seenFrom: Int32Array;
  readonly #seenTo: Int32Array;
  readonly #seenText: (string | null)[] = [];

  constructor(bytes: Buffer, recordBytes: number, decode: TextDecode) {
    this.#bytes = bytes;
    this.#stride = recordBytes;
    this.#decode = decode;
    this.#seenFrom = new Int32Array(recordBytes);
    this.#seenTo = new Int32Array(recordBytes);
  }

  deleted(row: number): boolean {
    return this.#bytes[row * this.#stride] === DELETED;
  }

  /** Returns the cell as text without trailing blanks, whatever its type; null: blank. */
  text(row: number, field: DbfField): string | null {
    const bytes = this.#bytes;
    const from = row * this.#stride + field.offset;
    let to = from + field.length;
    while (to > from && (bytes[to - 1] === 0x20 || bytes[to - 1] === 0)) to--;
    if (to === from) return null;
    const column = field.offset;
    const seenTo = this.#seenTo[column]!;
    if (seenTo > 0 && sameBytes(bytes, this.#seenFrom[column]!, seenTo, from, to))
      return this.#seenText[column]!;
    // Writers in C end a text with a NUL and leave old bytes after it; PostgreSQL stores no NUL.
    const fullText = this.#decode(bytes, from, to);
    const nul = fullText.indexOf('\0');
    const text = nul < 0 ? fullText : fullText.slice(0, nul).trimEnd() || null;
    this.#seenFrom[column] = from;
    this.#seenTo[column] = to;
    this.#seenText[column] = text;
    return text;
  }

  /** Returns the cell as a number; null: blank, filled with asterisks, or not a number. */
  number(row: number, field: DbfField): number | null {
    const at = row * this.#stride + field.offset;
    if (field.type === 'I' && field.length === 4) return this.#bytes.readInt32LE(at);
    if (field.type === 'O' && field.length === 8) return this.#bytes.readDoubleLE(at);
    const value = plainNumber(this.#bytes, at, at + field.length);
    if (value !== undefined) return value;
    const text = this.#bytes
      .toString('latin1', at, at + field.length)
      .replaceAll('\0', ' ')
      .trim();
    if (text === '') return null;
    const parsed = Number(text);
    return Number.isFinite(parsed) ? parsed : null;
  }

  /**
   * Returns the cell as an identifier: trimmed text, a number without zero decimals or exponent (`3.099431e+006` is `3099431`); null: blank
   * or asterisks.
   */
  id(row: number, field: DbfField): string | null {
    const text = this.text(row, field)?.trim() ?? '';
    if (text === '' || /^\*+$/.test(text)) return null;
    if (field.type !== 'N' && field.type !== 'F') return text;
    if (/^-?\d+$/.test(text)) return text;
    const value = Number(text);
    return Number.isSafeInteger(value) ? String(value) : text;
  }
}

/** Powers of ten that a double holds exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * Reads a right-aligned number with at most one point, without building a string; undefined: another format. Up to 15 digits are exact in a
 * double, and so is the power of ten, so their quotient is the nearest double.
 */
function plainNumber(bytes: Buffer, from: number, to: number): number | undefined {
  let at = from;
  while (at < to && bytes[at] === 0x20) at++;
  const negative = bytes[at] === 0x2d;
  if (negative) at++;
  let value = 0;
  let digits = 0;
  let decimals = -1;
  for (; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x30 && byte <= 0x39) {
      value = value * 10 + (byte - 0x30);
      if (value > 0 || decimals >= 0) digits++;
      if (decimals >= 0) decimals++;
    } else if (byte === 0x2e && decimals < 0) decimals = 0;
    else return undefined;
  }
  if (at === from || digits > 15 || (digits === 0 && bytes[to - 1] !== 0x30)) return undefined;
  const scaled = decimals > 0 ? value / POWERS[decimals]! : value;
  return negative ? -scaled : scaled;
}

function sameBytes(bytes: Buffer, aFrom: number, aTo: number, bFrom: number, bTo: number): boolean {
  if (aTo - aFrom !== bTo - bFrom) return false;
  for (let i = aFrom, j = bFrom; i < aTo; i++, j++) if (bytes[i] !== bytes[j]) return false;
  return true;
}

export interface DbfFile {
  readonly header: DbfHeader;
  /** Reads records `first` (from 0) to `first + count`, which must all exist. */
  rows(first: number, count: number): Promise<DbfRows>;
  close(): Promise<void>;
}

/** Opens a .dbf for reading by position. EtlError `bad_dbf` for a broken header, `truncated_dbf` for missing records. */
export async function openDbfFile(path: string, file: string, decode: TextDecode): Promise<DbfFile> {
  const handle = await open(path, 'r');
  try {
    const header = await readHeader(handle, file);
    const { size } = await handle.stat();
    const recordsInFile = Math.floor((size - header.headerBytes) / header.recordBytes);
    if (recordsInFile < header.count) {
      throw new EtlError(
        'truncated_dbf',
        `${file}: the .dbf states ${header.count} records and holds ${recordsInFile}. Deliver the file again.`,
        { details: { file, stated: header.count, held: recordsInFile } },
      );
    }
    return {
      header,
      async rows(first, count) {
        const bytes = Buffer.allocUnsafe(count * header.recordBytes);
        await readFully(handle, bytes, header.headerBytes + first * header.recordBytes);
        return new DbfRows(bytes, header.recordBytes, decode);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readHeader(handle: FileHandle, file: string): Promise<DbfHeader> {
  const start = Buffer.alloc(FIELD_BYTES);
  const { bytesRead } = await handle.read(start, 0, FIELD_BYTES, 0);
  if (bytesRead < FIELD_BYTES) return parseDbfHeader(start.subarray(0, bytesRead), file);
  const bytes = Buffer.alloc(Math.max(FIELD_BYTES, start.readUInt16LE(8)));
  const filled = await handle.read(bytes, 0, bytes.length, 0);
  return parseDbfHeader(bytes.subarray(0, filled.bytesRead), file);
}
