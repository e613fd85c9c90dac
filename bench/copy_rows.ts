/**
 * Rows to binary COPY and back: what each stage does with all that it reads and writes. Beside it the same rows through JSON.stringify
 * and JSON.parse, whose texts PostgreSQL could not take. CPU time of the whole process, garbage collection included; the two take turns.
 * Run: npx tsx bench/copy_rows.ts [rows] [rounds]
 */
import { EventEmitter } from 'node:events';
import { type Columns, col, nullable } from '../schema/table.ts';
import { CopyOut } from '../store/copy/copy_out.ts';
import { HEADER_BYTES, RowDecoder } from '../store/copy/row_decoder.ts';
import { RowEncoder } from '../store/copy/row_encoder.ts';

const rowCount = Number(process.argv[2] ?? 50_000);
const rounds = Number(process.argv[3] ?? 9);
/** Bytes that are handed on at a time, as store/copy/copy_binary.ts does. */
const CHUNK_BYTES = 1 << 17;

const COLUMNS: Columns = {
  gnaf_pid: col('text', ''),
  state: col('text', ''),
  cell: col('int4', ''),
  sa2: col('text', ''),
  sa2_name: col('text', ''),
  lon: col('float8', ''),
  lat: col('float8', ''),
  parcel_id: col('text', ''),
  flat: nullable('int2', ''),
  is_unit: col('bool', ''),
  listed_on: nullable('date', ''),
  label: col('text', ''),
  price: nullable('int4', ''),
};

const rows = Array.from({ length: rowCount }, (_, i) => ({
  gnaf_pid: `GAVIC${4_200_000 + i * 7}`,
  state: 'VIC',
  cell: 12_000 + (i >> 12),
  sa2: `2110${i >> 9}`,
  sa2_name: `Brunswick - ${i >> 9}`,
  lon: 144 + i / 1e5,
  lat: -37 - i / 1e5,
  parcel_id: `${i}\\PP${i * 3}`,
  flat: i % 2 === 0 ? null : i & 127,
  is_unit: i % 2 === 1,
  listed_on: i % 3 === 0 ? null : `2021-03-0${1 + (i % 9)}`,
  label: `${i} SMITH STREET, BRUNSWICK VIC 3056`,
  price: i % 5 === 0 ? null : 500_000 + i,
}));

/** Tuples as the server sends them: a message each, the header in the first. */
function asMessages(tuples: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < tuples.length; ) {
    let end = at + 2;
    for (let field = 0; field < Object.keys(COLUMNS).length; field++)
      end += 4 + Math.max(0, tuples.readInt32BE(end));
    const content =
      at === 0 ? [Buffer.alloc(HEADER_BYTES), tuples.subarray(at, end)] : [tuples.subarray(at, end)];
    const head = Buffer.from('d    ');
    head.writeUInt32BE(4 + content.reduce((sum, part) => sum + part.length, 0), 1);
    parts.push(head, ...content);
    at = end;
  }
  return Buffer.concat(parts);
}

/** CPU time in microseconds, a row. */
function perRow(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rowCount;
}

const times: Record<'encode' | 'stringify' | 'decode' | 'parse', number[]> = {
  encode: [],
  stringify: [],
  decode: [],
  parse: [],
};
for (let round = 0; round < rounds + 3; round++) {
  let chunks: Buffer[] = [];
  let text = '';
  const encode = perRow(() => {
    const encoder = new RowEncoder(COLUMNS);
    chunks = [];
    for (const row of rows) {
      encoder.add(row);
      if (encoder.bytes >= CHUNK_BYTES) chunks.push(encoder.take());
    }
    chunks.push(encoder.take());
  });
  const stringify = perRow(() => {
    text = JSON.stringify(rows);
  });
  const sent = asMessages(Buffer.concat(chunks));
  const decode = perRow(() => {
    const decoder = new RowDecoder(COLUMNS);
    const stream = new EventEmitter().on('data', () => undefined);
    const out = new CopyOut('', decoder);
    out.submit({ stream, query: () => undefined } as never);
    for (let at = 0; at < sent.length; at += 65_536) stream.emit('data', sent.subarray(at, at + 65_536));
    if (decoder.rows.length !== rowCount) throw new Error(`${decoder.rows.length} rows came back`);
  });
  const parse = perRow(() => {
    JSON.parse(text);
  });
  // The first rounds are those in which the engine compiles.
  if (round >= 3)
    for (const [name, value] of Object.entries({ encode, stringify, decode, parse }))
      times[name as keyof typeof times].push(value);
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1]!;
for (const [own, other] of [
  ['encode', 'stringify'],
  ['decode', 'parse'],
] as const) {
  const [a, b] = [median(times[own]), median(times[other])];
  console.log(
    `${own}: ${a.toFixed(2)} µs of CPU time a row of ${Object.keys(COLUMNS).length} columns, ${(b / a).toFixed(2)} × JSON.${other} (${b.toFixed(2)} µs)`,
  );
}
