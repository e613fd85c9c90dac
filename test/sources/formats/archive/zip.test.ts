import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { bytesOf, listZip } from '../../../../sources/formats/archive/zip.ts';
import { zipBytes } from '../../zip_writer.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixture-zip-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function zipOf(
  name: string,
  members: [path: string, content: Buffer, compress: boolean][],
): Promise<string> {
  const path = join(folder, name);
  const zip = new yazl.ZipFile();
  for (const [member, content, compress] of members) zip.addBuffer(content, member, { compress });
  zip.addEmptyDirectory('folder');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

/** Bytes that do not compress, the same every time. */
const noise = (length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, i) => createHash('sha256').update(String(i)).digest()),
  );

describe('members of a zip', () => {
  it('are read unchanged, deflated, stored or empty', async () => {
    const contents: [string, Buffer, boolean][] = [
      ['a/deflated.psv', Buffer.from('abc|'.repeat(300_000)), true],
      ['a/stored.psv', noise(600_000), false],
      ['noise.psv', noise(600_000), true],
      ['empty.psv', Buffer.alloc(0), false],
      ['empty_deflated.psv', Buffer.alloc(0), true],
    ];
    const members = await listZip(await zipOf('good.zip', contents), () => true);
    expect(members.map((member) => member.name)).toEqual(contents.map(([name]) => name));
    for (const [i, [, content]] of contents.entries())
      expect((await bytesOf(members[i]!)).equals(content)).toBe(true);
  });

  it('are refused where they unpack to too much', async () => {
    const path = await zipOf('large.zip', [['a.psv', Buffer.alloc(5000), true]]);
    await expect(listZip(path, () => true, { memberBytes: 4999 })).rejects.toMatchObject({
      code: 'archive_bomb',
      message: expect.stringMatching(/large\.zip › a\.psv.*5000/),
    });
    const bomb = await zipOf('bomb.zip', [['a.psv', Buffer.alloc(110 * 2 ** 20), true]]);
    await expect(listZip(bomb, () => true)).rejects.toMatchObject({ code: 'archive_bomb' });
  });

  it.each([
    [9, /a\.shp: it is packed with method 9 \(Deflate64, which Windows .*pack it again with Deflate/],
    [93, /method 93 \(Zstandard\)/],
  ])('packed with method %d are refused with the way to pack them again', async (method, message) => {
    const bytes = await zipBytes([{ name: 'a.shp', bytes: Buffer.alloc(500) }]);
    bytes.writeUInt16LE(method, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 10);
    const path = join(folder, `method_${method}.zip`);
    await writeFile(path, bytes);
    await expect(listZip(path, () => true)).rejects.toMatchObject({
      code: 'unsupported_compression',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['a stated size that is too small', { bytes: 4000 }, /more than the stated 4000/],
    ['a stated size that is too large', { bytes: 6000 }, /5000 bytes instead of 6000/],
    ['a checksum that does not match', { crc32: 1 }, /checksum/],
  ])('are refused for %s', async (_, change, message) => {
    const [member] = await listZip(
      await zipOf('lies.zip', [['a.psv', Buffer.alloc(5000), true]]),
      () => true,
    );
    await expect(bytesOf({ ...member!, ...change })).rejects.toMatchObject({
      code: 'bad_archive',
      message: expect.stringMatching(message),
    });
  });
});

describe('a table in a zip', () => {
  it('is listed without hidden files', async () => {
    const path = await zipOf('mac.zip', [
      ['__MACOSX/a.psv', Buffer.from('x'), true],
      ['.a.psv', Buffer.from('x'), true],
      ['a.psv', Buffer.from('A\n'), true],
    ]);
    expect((await listZip(path, () => true)).map(({ name }) => name)).toEqual(['a.psv']);
  });
});
