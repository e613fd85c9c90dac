import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesOf, listZip } from '../../../sources/formats/archive/zip.ts';
import { decoderOf } from '../../../sources/formats/table/encoding.ts';
import { openDbfFile } from '../../../sources/formats/vector/dbf.ts';
import { dbfBytes } from '../shapefile_writer.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A file that holds nothing but the given bytes at the given places. */
async function sparse(
  name: string,
  parts: readonly (readonly [at: number, bytes: Buffer])[],
): Promise<string> {
  const path = join(folder, name);
  const handle = await open(path, 'w');
  for (const [at, bytes] of parts) await handle.write(bytes, 0, bytes.length, at);
  await handle.close();
  return path;
}

const HOLE = 4.5 * 2 ** 30;

function localHeader(name: string): Buffer {
  const header = Buffer.alloc(30 + name.length);
  header.writeUInt32LE(0x04034b50);
  header.writeUInt16LE(45, 4);
  header.writeUInt16LE(name.length, 26);
  header.write(name, 30);
  return header;
}

/** An entry of the directory whose sizes and place are those of zip64. */
function entry(name: string, bytes: number, crc: number, at: number): Buffer {
  const header = Buffer.alloc(46 + name.length + 28);
  header.writeUInt32LE(0x02014b50);
  header.writeUInt16LE(45, 6);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(0xffffffff, 20);
  header.writeUInt32LE(0xffffffff, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(28, 30);
  header.writeUInt32LE(0xffffffff, 42);
  header.write(name, 46);
  const extra = 46 + name.length;
  header.writeUInt16LE(1, extra);
  header.writeUInt16LE(24, extra + 2);
  for (const [i, value] of [bytes, bytes, at].entries())
    header.writeBigUInt64LE(BigInt(value), extra + 4 + 8 * i);
  return header;
}

it('a zip64 gives a member that lies beyond 4 GB', async () => {
  const content = Buffer.from('id,name\n1,far out\n');
  const at = 37 + HOLE;
  const directory = Buffer.concat([
    entry('a.large', HOLE, 0, 0),
    entry('b.csv', content.length, crc32(content, 0), at),
  ]);
  const start = at + 35 + content.length;
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50);
  end.writeBigUInt64LE(44n, 4);
  end.writeBigUInt64LE(2n, 24);
  end.writeBigUInt64LE(2n, 32);
  end.writeBigUInt64LE(BigInt(directory.length), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(start + directory.length), 64);
  end.writeUInt32LE(1, 72);
  end.writeUInt32LE(0x06054b50, 76);
  end.writeUInt16LE(0xffff, 84);
  end.writeUInt16LE(0xffff, 86);
  end.writeUInt32LE(0xffffffff, 88);
  end.writeUInt32LE(0xffffffff, 92);
  const path = await sparse('far.zip', [
    [0, localHeader('a.large')],
    [at, Buffer.concat([localHeader('b.csv'), content, directory, end])],
  ]);
  const [large, member] = await listZip(path, () => true);
  expect(large!.bytes).toBe(HOLE);
  expect(await bytesOf(member!)).toEqual(content);
});

it('a .dbf gives rows that lie beyond 4 GB', async () => {
  const one = dbfBytes({ fields: [['NAME', 'C', 200]], rows: [['far out']] });
  const headerBytes = one.readUInt16LE(8);
  const recordBytes = one.readUInt16LE(10);
  const count = Math.ceil(HOLE / recordBytes);
  one.writeUInt32LE(count, 4);
  const path = await sparse('far.dbf', [
    [0, one.subarray(0, headerBytes)],
    [headerBytes + (count - 1) * recordBytes, one.subarray(headerBytes, headerBytes + recordBytes)],
  ]);
  const file = await openDbfFile(path, 'far.dbf', decoderOf('utf-8'));
  const rows = await file.rows(count - 2, 2);
  expect([rows.text(0, file.header.fields[0]!), rows.text(1, file.header.fields[0]!)]).toEqual([
    null,
    'far out',
  ]);
  await file.close();
});
