import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listZip, ZIP_LIMITS } from '../../../../sources/formats/archive/zip.ts';
import { openShapefile, readShapefileHeader } from '../../../../sources/formats/vector/shapefile.ts';
import { type ReleaseFolder, releaseFolder, YARRA } from '../../release_folder.ts';
import { type FieldSpec, GDA2020_PRJ, shapefileMembers, square } from '../../shapefile_writer.ts';
import { type ZipMember, zipBytes } from '../../zip_writer.ts';

const NAME: FieldSpec[] = [['NAME', 'C', 20]];

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());
afterEach(async () => {
  expect(await unpackedFolders(), 'temporary folders left behind').toEqual([]);
});

const unpackedFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`release-${process.pid}-`));

/** Same length, so that the offsets in the zip stay true. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  const bytes = Buffer.from(zip);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at, 'latin1');
  return bytes;
}

function layer(stem: string, names: readonly string[]): ZipMember[] {
  const members = shapefileMembers({
    shapeType: 5,
    fields: NAME,
    rows: names.map((name) => [name]),
    shapes: names.map((_, i) => [square(145 + i, -37, 0.5)]),
    prj: GDA2020_PRJ,
    cpg: 'UTF-8',
  });
  return Object.entries(members).map(([part, bytes]) => ({ name: `${stem}.${part}`, bytes }));
}

const write = async (name: string, members: readonly ZipMember[]) =>
  folder.write(name, await zipBytes(members));

async function namesIn(path: string, member?: string): Promise<(string | null)[]> {
  const reader = await openShapefile(path, { member });
  const names: (string | null)[] = [];
  for await (const batch of reader.features()) {
    for (let row = 0; row < batch.count; row++) names.push(batch.rows.text(row, reader.fields[0]!));
  }
  return names;
}

describe('shapefiles in a zip', () => {
  it('reads the only one, in nested folders and beside other files', async () => {
    const path = await write('one.zip', [
      { name: 'readme.txt', bytes: Buffer.from('x') },
      ...layer('a/b c/roads', ['x', 'y']),
    ]);
    expect(await namesIn(path)).toEqual(['x', 'y']);
    expect((await readShapefileHeader(path)).prj).toBe(GDA2020_PRJ);
  });

  it('reads each of several, asks which one, and ignores resource forks', async () => {
    const path = await write('many.zip', [
      ...layer('b/parcels', ['1']),
      ...layer('a/parcels', ['2']),
      { name: '__MACOSX/a/._parcels.shp', bytes: Buffer.from('x') },
    ]);
    expect(await namesIn(path, 'a/parcels.shp')).toEqual(['2']);
    expect(await namesIn(path, 'b/parcels.shp')).toEqual(['1']);
    await expect(openShapefile(path)).rejects.toMatchObject({
      code: 'no_shapefile',
      message: expect.stringContaining('b/parcels.shp'),
    });
  });

  it('says so where there is none, or no .dbf', async () => {
    const path = await write('none.zip', [{ name: 'a.csv', bytes: Buffer.from('x') }]);
    await expect(openShapefile(path)).rejects.toMatchObject({ code: 'no_shapefile' });
    const half = await write(
      'half.zip',
      layer('x', ['1']).filter((member) => !member.name.endsWith('dbf')),
    );
    await expect(openShapefile(half)).rejects.toMatchObject({
      code: 'missing_dbf',
      message: expect.stringContaining('half.zip'),
    });
    await expect(readShapefileHeader(half)).rejects.toMatchObject({ code: 'missing_dbf' });
  });

  it('keeps what it unpacks only as long as the reader is open', async () => {
    const path = await write('temp.zip', layer('x', ['1', '2']));
    const reader = await openShapefile(path);
    expect(await unpackedFolders()).toHaveLength(1);
    for await (const batch of reader.features()) {
      expect(batch.count).toBe(2);
      break;
    }
    expect(await unpackedFolders()).toEqual([]);
    const closed = await openShapefile(path);
    await closed.close();
    await closed.close();
  });

  it('removes what it unpacked where the shapefile in it is broken', async () => {
    const broken = layer('x', ['1', '2']).map((member) =>
      member.name === 'x.shp' ? { ...member, bytes: member.bytes.subarray(0, 200) } : member,
    );
    const path = await write('broken.zip', broken);
    await expect(namesIn(path)).rejects.toMatchObject({ code: 'truncated_shapefile' });
  });

  const bus = join(YARRA, 'transport/ptv_stops/PTV_METRO_BUS_STOP.zip');
  it.skipIf(!existsSync(bus))('reads a real one', async () => {
    expect(await namesIn(bus)).toHaveLength(18_559);
  });
});

describe('hostile zips', () => {
  const refused = async (path: string, code: string) => {
    await expect(openShapefile(path)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(path.split('/').at(-1)!),
    });
  };

  it.each([
    ['a path that leaves the folder', 'a/b/evil.shp', '../../ev.shp'],
    ['an absolute path', 'x/evil.shp', '/etc/ev.shp'],
    ['a drive letter', 'xxxevil.shp', 'C:/evil.shp'],
  ])('%s', async (_name, from, to) => {
    const bytes = await zipBytes([...layer('ok', ['1']), { name: from, bytes: Buffer.from('x') }]);
    await refused(await folder.write('evil.zip', renamed(bytes, from, to)), 'unsafe_archive');
  });

  it('a symbolic link', async () => {
    const link = { name: 'passwd.shp', bytes: Buffer.from('/etc/passwd'), mode: 0o120777 };
    await refused(await write('link.zip', [...layer('ok', ['1']), link]), 'unsafe_archive');
  });

  it('a member that unpacks to a thousand times its size', async () => {
    const zeros = { name: 'x.shp', bytes: Buffer.alloc(ZIP_LIMITS.ratioFloorBytes + 1) };
    await refused(await write('bomb.zip', [zeros]), 'archive_bomb');
  });

  it('more bytes or more members than the limits', async () => {
    const path = await write('large.zip', layer('x', ['1', '2', '3']));
    const open = (limits: object) => listZip(path, () => true, limits);
    await expect(open({ totalBytes: 300 })).rejects.toMatchObject({ code: 'archive_bomb' });
    await expect(open({ members: 3 })).rejects.toMatchObject({ code: 'archive_bomb' });
    expect(await open({ members: 4 })).toHaveLength(4);
  });

  it('a member that holds more than the directory says', async () => {
    const bytes = await zipBytes([
      { name: 'x.shp', bytes: Buffer.alloc(5000, 'ab') },
      ...layer('x', []).slice(1),
    ]);
    // Uncompressed size of the first entry of the central directory.
    bytes.writeUInt32LE(100, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    await refused(await folder.write('liar.zip', bytes), 'bad_archive');
  });

  it('damaged content, stored and deflated', async () => {
    for (const store of [true, false]) {
      const [shp, ...rest] = layer('x', ['1', '2', '3']);
      const bytes = await zipBytes([{ ...shp!, store }, ...rest]);
      bytes[100] = bytes[100]! ^ 0xff;
      await refused(await folder.write('damaged.zip', bytes), 'bad_archive');
    }
  });

  it('a zip that ends early, whatever the byte', async () => {
    const bytes = await zipBytes(layer('x', ['1']));
    for (let length = 0; length < bytes.length; length += 7) {
      const path = join(folder.path, 'short.zip');
      await writeFile(path, bytes.subarray(0, length));
      await expect(readShapefileHeader(path), `cut at ${length}`).rejects.toMatchObject({
        code: 'bad_archive',
        message: expect.stringContaining('short.zip'),
      });
    }
  });

  it('an encrypted member', async () => {
    const bytes = await zipBytes(layer('x', ['1']));
    for (
      let at = bytes.indexOf('PK\x01\x02', 0, 'latin1');
      at >= 0;
      at = bytes.indexOf('PK\x01\x02', at + 1, 'latin1')
    ) {
      bytes.writeUInt16LE(bytes.readUInt16LE(at + 8) | 1, at + 8);
    }
    await refused(await folder.write('secret.zip', bytes), 'bad_archive');
  });

  it('never writes beside its own folder', async () => {
    expect((await readFile(join(folder.path, 'one.zip'))).length).toBeGreaterThan(0);
    expect(existsSync(join(tmpdir(), 'ev.shp'))).toBe(false);
  });
});
