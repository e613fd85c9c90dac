import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openReference } from 'shapefile';
import { openShapefile } from '../sources/formats/shapefile.ts';
import { writeShapefile } from '../test/sources/shapefile_writer.ts';

/**
 * Features per second of the shapefile reader beside the npm `shapefile` package on the same seeded file, and their
 * ratio. Both decode every attribute and every vertex; the last line reads the columns that the cadastre needs.
 * Usage: npx tsx bench/shapefile.ts [features] [path.shp]
 */
const FEATURES = Number(process.argv[2] ?? 100_000);
const REPEATS = 3;

/** A small linear congruential generator: the same file every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Parcels of 5 to 12 vertices with the attribute columns of a Vicmap parcel. */
async function writeParcels(folder: string): Promise<string> {
  const next = random(7);
  const shapes: number[][][] = [];
  const rows: string[][] = [];
  for (let i = 0; i < FEATURES; i++) {
    const [x, y] = [144 + (i % 300) * 0.001, -38 + Math.floor(i / 300) * 0.001];
    const ring: number[] = [];
    const corners = 4 + Math.floor(next() * 8);
    for (let k = 0; k <= corners; k++) {
      const angle = (-2 * Math.PI * (k % corners)) / corners;
      ring.push(x + 0.0003 * Math.cos(angle), y + 0.0003 * Math.sin(angle));
    }
    shapes.push([ring]);
    rows.push([
      String(200_000_000 + i),
      `${1 + (i % 90)}\\PS${600_000 + Math.floor(i / 90)}`,
      'A',
      'A',
      'G',
      '',
      '343',
      String(next() * 1000).slice(0, 12),
    ]);
  }
  const path = join(folder, 'parcels');
  await writeShapefile(path, {
    shapeType: 5,
    fields: [
      ['PARCEL_PFI', 'C', 12],
      ['PARCEL_SPI', 'C', 30],
      ['PARCEL_STA', 'C', 1],
      ['PARV_STATU', 'C', 1],
      ['PARV_Z_LEV', 'C', 1],
      ['PARCEL_ROA', 'C', 1],
      ['LGA_CODE', 'C', 4],
      ['AREA', 'N', 19, 4],
    ],
    rows,
    shapes,
  });
  return `${path}.shp`;
}

async function reference(path: string): Promise<number> {
  let count = 0;
  const source = await openReference(path);
  for (;;) {
    const { done } = await source.read();
    if (done) return count;
    count++;
  }
}

async function own(path: string, wanted: readonly string[] | null): Promise<number> {
  const reader = await openShapefile(path);
  const fields = reader.fields.filter((field) => wanted === null || wanted.includes(field.name));
  let count = 0;
  let kept: unknown = null;
  for await (const batch of reader.features()) {
    for (let row = 0; row < batch.count; row++) {
      const properties: Record<string, unknown> = {};
      for (const field of fields) properties[field.name] = batch.rows.value(row, field);
      kept = { geometry: batch.geometry(row), properties };
    }
    count += batch.count;
  }
  return kept === null ? 0 : count;
}

async function rate(run: () => Promise<number>): Promise<number> {
  let best = 0;
  for (let i = 0; i < REPEATS; i++) {
    const start = process.hrtime.bigint();
    const count = await run();
    best = Math.max(best, count / (Number(process.hrtime.bigint() - start) / 1e9));
  }
  return best;
}

const folder = await mkdtemp(join(tmpdir(), 'bench-shapefile-'));
try {
  const path = process.argv[3] ?? (await writeParcels(folder));
  const base = await rate(() => reference(path));
  const all = await rate(() => own(path, null));
  const some = await rate(() =>
    own(path, ['PARCEL_PFI', 'PARCEL_SPI', 'PARCEL_STA', 'PARV_Z_LEV', 'id_stock']),
  );
  const line = (name: string, value: number) =>
    console.log(
      `${name.padEnd(40)} ${Math.round(value).toLocaleString('en').padStart(12)} features/s  ${(value / base).toFixed(1)} x`,
    );
  line('shapefile 0.6.6, everything', base);
  line('own reader, everything', all);
  line('own reader, columns of the cadastre', some);
} finally {
  await rm(folder, { recursive: true, force: true });
}
