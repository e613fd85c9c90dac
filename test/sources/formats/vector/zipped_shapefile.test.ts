import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listZip } from '../../../../sources/formats/archive/zip.ts';
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
  it('reads the only one, in nested folders and among other files', async () => {
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

  it('fails without a shapefile, or without its .dbf', async () => {
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

  it('refuses more bytes or more members than the limits', async () => {
    const path = await write('large.zip', layer('x', ['1', '2', '3']));
    const open = (limits: object) => listZip(path, () => true, limits);
    await expect(open({ totalBytes: 300 })).rejects.toMatchObject({ code: 'archive_bomb' });
    await expect(open({ members: 3 })).rejects.toMatchObject({ code: 'archive_bomb' });
    expect(await open({ members: 4 })).toHaveLength(4);
  });
});
