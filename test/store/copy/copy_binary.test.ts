import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Columns, nullable } from '../../../schema/table.ts';
import { HEADER_BYTES, RowDecoder } from '../../../store/copy/row_decoder.ts';
import { RowEncoder } from '../../../store/copy/row_encoder.ts';

const columns: Columns = {
  text: nullable('text', ''),
  int2: nullable('int2', ''),
  int4: nullable('int4', ''),
  float8: nullable('float8', ''),
  bool: nullable('bool', ''),
  date: nullable('date', ''),
  bytea: nullable('bytea', ''),
  texts: nullable('text[]', ''),
  numbers: nullable('int4[]', ''),
  fractions: nullable('float8[]', ''),
  json: nullable('jsonb', ''),
};

const text = fc.oneof(fc.string({ maxLength: 120 }), fc.string({ unit: 'grapheme', maxLength: 120 }));
const int4 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const value = {
  text,
  int2: fc.integer({ min: -32_768, max: 32_767 }),
  int4,
  float8: fc.double({ noNaN: true }),
  bool: fc.boolean(),
  date: fc
    .date({ min: new Date('1850-01-01'), max: new Date('2150-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  bytea: fc.uint8Array({ maxLength: 5000 }),
  texts: fc.array(text, { maxLength: 40 }),
  numbers: fc.array(int4, { maxLength: 400 }),
  fractions: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 400 }),
  json: fc.oneof(fc.constant({}), fc.record({ a: int4, b: fc.array(fc.boolean()) })),
};
const row = fc.record(
  Object.fromEntries(
    Object.entries(value).map(([name, of]) => [name, fc.option(of as fc.Arbitrary<unknown>)]),
  ),
);

/** The messages that PostgreSQL would send: rows, the header before the first, the trailer. */
function answer(rows: readonly Record<string, unknown>[]): Buffer[] {
  const encoder = new RowEncoder(columns);
  const messages = rows.map((one) => {
    encoder.add(one);
    return encoder.take();
  });
  const [first, ...others] = [...messages, Buffer.from('ffff', 'hex')];
  return [Buffer.concat([Buffer.alloc(HEADER_BYTES), first!]), ...others];
}

const plain = (rows: readonly Record<string, unknown>[]) =>
  rows.map((one) => ({ ...one, bytea: one.bytea === null ? null : Buffer.from(one.bytea as Uint8Array) }));

describe('binary COPY rows', () => {
  it('decode to the rows that were encoded', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        const decoder = new RowDecoder<Record<string, unknown>>(columns);
        for (const message of answer(rows)) decoder.add(message, 0, message.length);
        expect(plain(decoder.rows)).toEqual(plain(rows));
      }),
      { numRuns: 200 },
    );
  });

  it('prefer a fixed value to that of the row, and write NULL for a missing one', () => {
    const encoder = new RowEncoder(
      { int4: columns.int4!, text: columns.text!, bool: columns.bool! },
      { int4: 9 },
    );
    encoder.add({ int4: 1, text: 'a' });
    expect(encoder.take().toString('hex')).toBe('0003' + '0000000400000009' + '0000000161' + 'ffffffff');
    expect(encoder.bytes).toBe(0);
  });

  it.each([2 ** 31, 1.5, Number.NaN])('refuse %d as a 32-bit integer', (int4) => {
    expect(() => new RowEncoder({ int4: columns.int4! }).add({ int4 })).toThrow(RangeError);
  });
});
