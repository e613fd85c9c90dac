import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFault } from '../../../store/downloads/file_format.ts';
import { noise } from '../../pipelines/fetch/fault_server.ts';
import { writeZip } from '../../sources/gnaf/tiny_release.ts';

let folder: string;
let zip: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'form-'));
  await writeZip(join(folder, 'whole.zip'), { 'a.bin': noise(5000) });
  zip = readFileSync(join(folder, 'whole.zip'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const faultOf = (name: string, content: Buffer | string): Promise<string | null> => {
  const path = join(folder, 'x.part');
  writeFileSync(path, content);
  return formatFault(path, name);
};

describe('a zip', () => {
  it('that is whole passes, also with a comment', async () => {
    expect(await faultOf('a.zip', zip)).toBeNull();
    const commented = Buffer.concat([zip, Buffer.from('hello')]);
    commented.writeUInt16LE(5, zip.length - 2);
    expect(await faultOf('a.ZIP', commented)).toBeNull();
  });

  it('that is cut off anywhere does not', async () => {
    for (const bytes of [4, 100, zip.length - 40, zip.length - 1])
      expect(await faultOf('a.zip', zip.subarray(0, bytes))).toMatch(/end of the zip is missing/);
  });

  it('that lacks its beginning or middle does not', async () => {
    expect(await faultOf('a.zip', zip.subarray(10))).toMatch(/does not begin/);
    const holed = Buffer.concat([zip.subarray(0, 20), zip.subarray(60)]);
    expect(await faultOf('a.zip', holed)).toMatch(/states more content/);
  });
});

it.each([
  ['a.csv', '', /empty/],
  ['a.csv', '\uFEFF\n <!doctype HTML><p>Request blocked', /page of HTML/],
  ['a.osm.pbf', '<html lang="en">', /page of HTML/],
  ['a.html', '<html lang="en">', null],
  ['a.csv', 'id,name\n1,<html>\n', null],
  ['a.gpkg', 'SQLite format 3\0 and so on', null],
  ['a.gpkg', 'not a database', /does not begin/],
  ['a.xlsx', '{"error": "quota"}', /does not begin/],
])('%s beginning %j', async (name, content, fault) => {
  const found = await faultOf(name, content);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});
