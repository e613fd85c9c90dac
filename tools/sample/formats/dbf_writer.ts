import { BinaryFile } from './binary_file.ts';

/** A dBase III field: C text, N number, D date (`YYYYMMDD` text). Names have at most ten characters. */
export interface DbfField {
  readonly name: string;
  readonly type: 'C' | 'N' | 'D';
  readonly length: number;
  readonly decimals?: number;
}

export type DbfValue = string | number | null;

/** Shorthands for field declarations. */
export const text = (name: string, length: number): DbfField => ({ name, type: 'C', length });
export const number = (name: string, length: number, decimals = 0): DbfField => ({
  name,
  type: 'N',
  length,
  decimals,
});
export const date = (name: string): DbfField => ({ name, type: 'D', length: 8 });

const UPDATED = [125, 11, 17] as const;

/** Streams a dBase III table; the record count is patched into the header on close. */
export class DbfWriter {
  count = 0;
  private readonly file: BinaryFile;
  private readonly fields: readonly DbfField[];
  private readonly recordBytes: number;

  constructor(path: string, fields: readonly DbfField[]) {
    this.fields = fields;
    this.recordBytes = 1 + fields.reduce((sum, field) => sum + field.length, 0);
    this.file = new BinaryFile(path);
    this.file.append(this.header());
  }

  /** Appends one record; values come in field order, text is UTF-8 and cut at the field length. */
  write(values: readonly DbfValue[]): void {
    const record = this.file.reserve(this.recordBytes).fill(0x20);
    let at = 1;
    for (let i = 0; i < this.fields.length; i++) {
      const field = this.fields[i]!;
      const value = values[i];
      if (value !== null && value !== undefined) {
        if (field.type === 'N') writeNumber(record, at, field, value);
        else record.write(value as string, at, field.length, 'utf8');
      }
      at += field.length;
    }
    this.count++;
  }

  close(): void {
    this.file.append(Uint8Array.of(0x1a));
    const count = Buffer.alloc(4);
    count.writeUInt32LE(this.count);
    this.file.patch(4, count);
    this.file.close();
  }

  private header(): Buffer {
    const bytes = Buffer.alloc(32 + 32 * this.fields.length + 1);
    bytes[0] = 3;
    bytes.set(UPDATED, 1);
    bytes.writeUInt16LE(bytes.length, 8);
    bytes.writeUInt16LE(this.recordBytes, 10);
    this.fields.forEach((field, i) => {
      const at = 32 + 32 * i;
      bytes.write(field.name, at, 11, 'latin1');
      bytes.write(field.type, at + 11, 1, 'latin1');
      bytes[at + 16] = field.length;
      bytes[at + 17] = field.decimals ?? 0;
    });
    bytes[bytes.length - 1] = 0x0d;
    return bytes;
  }
}

/** Numbers are right-aligned, as dBase writes them. */
function writeNumber(record: Buffer, at: number, field: DbfField, value: string | number): void {
  const digits = typeof value === 'string' ? value : value.toFixed(field.decimals ?? 0);
  record.write(digits, at + field.length - digits.length, 'latin1');
}
