import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { EtlError } from '../../../schema/errors.ts';
import { osmAdapter } from '../../../sources/places/osm/adapter.ts';
import { OsmPbfWriter } from '../../../tools/sample/places/osm_pbf_writer.ts';
import type { SamplePlace } from '../../../tools/sample/places/sample_place.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { releaseFolder } from '../release_folder.ts';
import { PARK, readOsm, SHOP, square } from './osm_reading.ts';

/** An .osm.pbf with points, a way, and a relation whose rings are in halves. */
function pbf(): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'osm-pbf-'));
  try {
    const path = join(dir, 'a.osm.pbf');
    const writer = new OsmPbfWriter(path, 'a.osm.pbf');
    const base: Omit<SamplePlace, 'serial' | 'tags'> = {
      category: 'green_space',
      name: '',
      at: { shell: [], holes: [] },
      drop: null,
    };
    const rings = (...list: [number, number][][]) => list.map((ring) => Float64Array.from(ring.flat()));
    writer.write(
      { ...base, serial: 1, tags: { amenity: 'café', x: 'y' }, at: { point: [0, 0] } },
      rings([[145, -37.8]]),
    );
    writer.write(
      { ...base, serial: 2, tags: { amenity: 'cafe', name: 'Café Ünï' }, at: { point: [0, 0] } },
      rings([[145.1234567, -37.7654321]]),
    );
    writer.write({ ...base, serial: 3, tags: PARK }, rings(square(145, -37.81, 0.01)));
    writer.write(
      { ...base, serial: 4, tags: PARK },
      rings(square(145.1, -37.81, 0.08), square(145.104, -37.806, 0.002)),
    );
    writer.write({ ...base, serial: 5, tags: SHOP }, rings(square(145.3, -37.8, 0.0004)));
    writer.write({ ...base, serial: 6, tags: SHOP, at: { point: [0, 0] } }, rings([[145.3001, -37.7999]]));
    writer.otherNode(145, -37);
    writer.close();
    return readFileSync(path);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

describe('OpenStreetMap as .osm.pbf', () => {
  it('gives points, ways and relations with exact coordinates', async () => {
    const { places, account, pieces, rejects } = await readOsm('a.osm.pbf', pbf());
    expect(rejects).toEqual([]);
    expect(places).toEqual([
      'osm:node/2 restaurant Café Ünï',
      'osm:relation/4 green_space Long Park',
      'osm:way/3 green_space Long Park',
      'osm:way/5 supermarket Freshway',
    ]);
    expect(pieces[0]).toMatchObject({ lon: 145.1234567, lat: -37.7654321, geom: null });
    const whole = decodeWkb(pieces.find(({ place_id }) => place_id === 'osm:way/3')!.geom!);
    expect([...whole.coords].sort()).toEqual(
      square(145, -37.81, 0.01)
        .flat()
        .map((v) => Math.round(v * 1e7) / 1e7)
        .sort(),
    );
    expect(account.drops.mapped_twice).toBe(1);
    expect(account.rows_in).toBe(account.records + account.drops.not_a_place! + 1);
    expect(new Set(pieces.map(({ source_no }) => source_no)).size).toBe(places.length);
  });

  it('rejects areas whose parts are missing or open, and knows odd groups', async () => {
    const { rejects, account } = await readOsm('a.osm.pbf', oddPbf());
    expect(rejects).toEqual([
      'feature 5 missing_member',
      'feature 6 open_ring',
      'feature 3 missing_member',
      'feature 4 open_ring',
    ]);
    expect(account).toMatchObject({ rows_in: 7, records: 1, drops: { not_a_place: 1, not_an_area: 1 } });
  });

  it('never fails but with an error that names the file, whatever is damaged', async () => {
    const good = pbf();
    const dir = await releaseFolder();
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(good.length - 1),
          fc.integer({ min: 1, max: 255 }),
          fc.boolean(),
          async (at, flip, cut) => {
            const bytes = Buffer.from(cut ? good.subarray(0, at) : good);
            if (!cut) bytes[at] = bytes[at]! ^ flip;
            await dir.write('a.osm.pbf', bytes);
            try {
              const { release, parts } = await osmAdapter.discover(await dir.dataset());
              const { accounts } = await readPart(osmAdapter, release, parts[0]!);
              const { rows_in, records, rejects, drops } = accounts[0]!;
              expect(rows_in).toBe(records + rejects + Object.values(drops).reduce((sum, n) => sum + n, 0));
            } catch (error) {
              if (!(error instanceof EtlError)) throw error;
              expect(error.message).toContain('a.osm.pbf');
            }
          },
        ),
        { seed: 8, numRuns: 150 },
      );
      // the damage is inside the compressed block mostly: the same for its content
      const content = blockContent();
      await fc.assert(
        fc.asyncProperty(fc.nat(content.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const bytes = Buffer.from(content);
          bytes[at] = bytes[at]! ^ flip;
          await dir.write('a.osm.pbf', fileOf(bytes));
          const { release, parts } = await osmAdapter.discover(await dir.dataset());
          await readPart(osmAdapter, release, parts[0]!).catch((error: unknown) => {
            if (!(error instanceof EtlError)) throw error;
          });
        }),
        { seed: 9, numRuns: 200 },
      );
    } finally {
      await dir.remove();
    }
  });

  it('refuses a block that unpacks to more than the format allows', async () => {
    const bomb = fileOf(Buffer.alloc(40 << 20));
    await expect(readOsm('a.osm.pbf', bomb)).rejects.toMatchObject({ code: 'bad_osm_pbf' });
    await expect(readOsm('a.osm.pbf', '')).rejects.toMatchObject({ code: 'bad_osm_pbf' });
    await expect(readOsm('a.osm.pbf', 'PBF? no.')).rejects.toMatchObject({ code: 'bad_osm_pbf' });
  });
});

const message = (write: (pbf: PbfWriter) => void): Uint8Array => {
  const pbfWriter = new PbfWriter();
  write(pbfWriter);
  return pbfWriter.finish();
};

function blob(type: string, content: Uint8Array): Buffer {
  const bytes = message((w) => w.writeBytesField(3, deflateSync(content)));
  const head = message((w) => {
    w.writeStringField(1, type);
    w.writeVarintField(3, bytes.length);
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, bytes]);
}

const fileOf = (block: Uint8Array): Buffer =>
  Buffer.concat([
    blob(
      'OSMHeader',
      message((w) => w.writeStringField(4, 'OsmSchema-V0.6')),
    ),
    blob('OSMData', block),
  ]);

const TEXTS = ['', 'amenity', 'cafe', 'leisure', 'park', 'type', 'multipolygon', 'outer', 'site'];

/** Plain nodes, a way with a missing node, an open way, a relation with a missing way, one that stays open, one that is no area. */
function blockContent(): Uint8Array {
  const tags = (w: PbfWriter, ...pairs: [number, number][]) => {
    w.writePackedVarint(
      2,
      pairs.map(([key]) => key),
    );
    w.writePackedVarint(
      3,
      pairs.map(([, value]) => value),
    );
  };
  const node = (id: number, x: number, ...pairs: [number, number][]) =>
    message((w) => {
      w.writeSVarintField(1, id);
      tags(w, ...pairs);
      w.writeSVarintField(8, -378_000_000);
      w.writeSVarintField(9, 1_450_000_000 + x);
    });
  const way = (id: number, refs: number[], ...pairs: [number, number][]) =>
    message((w) => {
      w.writeVarintField(1, id);
      tags(w, ...pairs);
      w.writePackedSVarint(
        8,
        refs.map((ref, i) => ref - (refs[i - 1] ?? 0)),
      );
    });
  const relation = (id: number, ways: number[], ...pairs: [number, number][]) =>
    message((w) => {
      w.writeVarintField(1, id);
      tags(w, ...pairs);
      w.writePackedVarint(
        8,
        ways.map(() => 7),
      );
      w.writePackedSVarint(
        9,
        ways.map((ref, i) => ref - (ways[i - 1] ?? 0)),
      );
      w.writePackedVarint(
        10,
        ways.map(() => 1),
      );
    });
  const group = (tag: number, items: Uint8Array[]) =>
    message((w) => {
      for (const item of items) w.writeBytesField(tag, item);
    });
  return message((w) => {
    w.writeBytesField(
      1,
      message((t) => {
        for (const text of TEXTS) t.writeBytesField(1, Buffer.from(text));
      }),
    );
    w.writeBytesField(2, group(1, [node(1, 0, [1, 2]), node(2, 1000)]));
    w.writeBytesField(2, group(3, [way(10, [1, 2, 99, 1], [3, 4]), way(11, [1, 2], [3, 4])]));
    const multi: [number, number] = [5, 6];
    w.writeBytesField(
      2,
      group(4, [
        relation(20, [77], [3, 4], multi),
        relation(21, [11], [3, 4], multi),
        relation(22, [], [3, 4], [5, 8]),
      ]),
    );
  });
}

const oddPbf = (): Buffer => fileOf(blockContent());

adapterConformance('osm pbf', async () => {
  const own = await releaseFolder();
  await own.write('places.osm.pbf', pbf());
  return { adapter: osmAdapter, dataset: await own.dataset(), remove: own.remove };
});
