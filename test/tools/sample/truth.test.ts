import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reject } from '../../../schema/errors.ts';
import type { InputAccount, SourceAdapter, SourceBatch } from '../../../sources/adapter.ts';
import { adapterNamed } from '../../../sources/index.ts';
import { generateSampleCountry } from '../../../tools/sample/generate.ts';
import { STATES } from '../../../tools/sample/geography/places.ts';
import { hasParcelPosition } from '../../../transforms/address/geocode.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../../transforms/property/neighbours.ts';
import { buildParcelIndex, parcelOfAddress } from '../../../transforms/property/parcel_of_address.ts';
import { releaseFiles, truthOf } from './sample_files.ts';

const out = mkdtempSync(join(tmpdir(), 'sample-truth-'));
// biome-ignore lint/suspicious/noExplicitAny: rows of many tables, compared by column name
type AnyRow = Record<string, any>;
const rows = new Map<string, AnyRow[]>();
const rejects: Reject[] = [];
const accounts: InputAccount[] = [];
let truth: Map<string, Record<string, string>>;
const table = (name: string): AnyRow[] => rows.get(name) ?? [];

function take(batch: SourceBatch): void {
  for (const { table, rows: more } of batch.records ?? []) {
    const all = rows.get(table.name) ?? [];
    for (const row of more) all.push(row);
    rows.set(table.name, all);
  }
  rejects.push(...(batch.rejects ?? []));
  accounts.push(...(batch.accounts ?? []));
}

async function load(adapter: SourceAdapter, folder: string, options: Record<string, unknown>): Promise<void> {
  const dataset = { id: folder, files: releaseFiles(join(out, folder)), release: null, crs: null, options };
  const { release, parts } = await adapter.discover(dataset);
  for (const part of parts) for await (const batch of adapter.readPart(release, part, {})) take(batch);
}

beforeAll(async () => {
  await generateSampleCountry({ properties: 4_000, seed: 11, out });
  truth = new Map(truthOf(out, 'properties').map((row) => [row.gnaf_pid!, row]));
  await load(adapterNamed('gnaf'), 'gnaf', {});
  await load(adapterNamed('asgs'), 'asgs', {});
  for (const { code } of STATES) {
    await load(adapterNamed('cadastre'), `cadastre/${code.toLowerCase()}`, { state: code });
  }
  for (const state of ['vic', 'nsw', 'act']) {
    await load(adapterNamed('zoning'), `planning/${state}`, { state: state.toUpperCase() });
  }
});
afterAll(() => rmSync(out, { recursive: true }));

const last = (path: string): string => path.split('/').at(-1)!;
/** Records of addresses with a truth; the one deliberate repetition of a PID comes second and is left out. */
const addresses = (): AnyRow[] => {
  const seen = new Set<string>();
  return table('address').filter(({ gnaf_pid }) => !seen.has(gnaf_pid) && seen.add(gnaf_pid));
};
const shapes = (state: string) =>
  table('parcel')
    .filter((row) => row.state === state)
    .map((row) => ({
      parcel_id: row.parcel_id,
      lot_plan: row.lot_plan,
      area_sqm: row.area_sqm,
      geometry: decodeWkb(row.geom),
    }));

describe('truth of the sample country, read through the source adapters', () => {
  it('agrees on every component of every address', () => {
    expect(addresses()).toHaveLength(truth.size);
    const same = [
      ...[
        'building_name',
        'lot_number',
        'flat_type',
        'flat_number',
        'level_type',
        'level_number',
        'number_first',
        'number_last',
      ],
      ...[
        'street_name',
        'street_type',
        'street_suffix',
        'locality_name',
        'postcode',
        'primary_secondary',
        'alias_principal',
      ],
      ...['geocode_type', 'legal_parcel_id', 'state'],
    ];
    for (const row of addresses()) {
      const expected = truth.get(row.gnaf_pid)!;
      for (const name of same) expect(row[name] ?? '', `${row.gnaf_pid} ${name}`).toBe(expected[name]);
      expect(String(row.is_live)).toBe(expected.is_live);
      expect(row.lon === null ? '' : row.lon.toFixed(8)).toBe(expected.lon);
    }
  });

  it('agrees on the area of every parcel with an address: 0.02 m² or 2 parts in a million', () => {
    const area = new Map(table('parcel').map((row) => [row.parcel_id, row.area_sqm]));
    for (const { parcel_id, parcel_area_sqm } of truth.values()) {
      const expected = Number(parcel_area_sqm);
      expect(Math.abs(area.get(parcel_id) - expected), parcel_id).toBeLessThan(
        Math.max(0.02, 2e-6 * expected),
      );
    }
  });

  it('agrees on the parcel of every address and how it is found', () => {
    for (const { code } of STATES) {
      const parcels = shapes(code);
      const index = buildParcelIndex(parcels);
      for (const row of addresses().filter(({ state }) => state === code)) {
        const expected = truth.get(row.gnaf_pid)!;
        const point = {
          lon: row.lon,
          lat: row.lat,
          lot_plan: row.lot_plan,
          hasParcelPosition: hasParcelPosition(row as Parameters<typeof hasParcelPosition>[0]),
        };
        const found = parcelOfAddress(index, point, { nearest_m: 5, legal_id_radius_m: 2_000 });
        expect(found.method, row.gnaf_pid).toBe(expected.parcel_method);
        if (found.parcel >= 0)
          expect(parcels[found.parcel]!.parcel_id, row.gnaf_pid).toBe(expected.parcel_id);
      }
    }
  });

  it('agrees on the parcels that adjoin, and those that only touch', () => {
    const parcels = STATES.flatMap(({ code }) => shapes(code));
    const byId = new Map(parcels.map((parcel) => [parcel.parcel_id, parcel.geometry]));
    const pairs = new Map<string, Record<string, string>[]>();
    for (const row of truthOf(out, 'adjoining')) pairs.set(row.sal!, [...(pairs.get(row.sal!) ?? []), row]);
    expect(pairs.size).toBe(truthOf(out, 'adjoining_suburbs').length);
    for (const [sal, expected] of pairs) {
      const ids = [...new Set(expected.flatMap(({ parcel_a, parcel_b }) => [parcel_a!, parcel_b!]))];
      const candidates = ids.map((id) => ({ id, geometry: byId.get(id)! }));
      const found = new Map<string, { shared_m: number; corner: boolean }>();
      for (const pair of adjoiningParcels(candidates, [...ids.keys()], {
        tolerance_m: 0.1,
        min_shared_m: 0.5,
      })) {
        found.set(`${ids[pair.a]} ${ids[pair.b]}`, pair);
      }
      expect(found.size, sal).toBe(2 * expected.length);
      for (const { parcel_a, parcel_b, shared_m, corner, borderline } of expected) {
        const pair = found.get(`${parcel_a} ${parcel_b}`)!;
        if (borderline === 'true') continue;
        expect(String(pair.corner), `${parcel_a} ${parcel_b}`).toBe(corner);
        // the tolerance counts at both ends of each stretch of common boundary, of which multipart parcels have several
        if (corner === 'false') expect(Math.abs(pair.shared_m - Number(shared_m))).toBeLessThan(1);
      }
    }
  });

  it('agrees on the regions and the zone of every point', () => {
    const levels = { MB: 'mesh_block', SA1: 'sa1', SA2: 'sa2', SAL: 'sal', LGA: 'lga', POA: 'poa' } as const;
    const pieces = new Map<string, { code: string; geometry: MultiPolygon }[]>();
    for (const row of [...table('region_piece'), ...table('zone_piece')]) {
      const key = `${row.level ?? 'zone'} ${row.cell}`;
      pieces.set(key, [...(pieces.get(key) ?? []), { code: row.code, geometry: decodeWkb(row.geom) }]);
    }
    const at = (level: string, row: AnyRow): string[] =>
      (pieces.get(`${level} ${row.cell}`) ?? [])
        .filter(({ geometry }) => pointInMultiPolygon(row.lon, row.lat, geometry))
        .map(({ code }) => code);
    for (const row of addresses().filter(({ lon }) => lon !== null)) {
      const expected = truth.get(row.gnaf_pid)!;
      for (const [level, name] of Object.entries(levels)) {
        expect(at(level, row), `${row.gnaf_pid} ${level}`).toEqual([expected[name]]);
      }
      for (const level of ['SA3', 'SA4', 'GCCSA', 'STE'])
        expect(at(level, row), row.gnaf_pid).toHaveLength(1);
      if (row.geocode_level !== 7) continue;
      expect(at('zone', row), row.gnaf_pid).toEqual(expected.zone_code === '' ? [] : [expected.zone_code]);
    }
  });

  it('names every mesh block link that disagrees with its point', () => {
    const wrong = new Map(
      truthOf(out, 'mesh_block_disagreements').map((row) => [row.gnaf_pid!, row.mesh_block_in_gnaf!]),
    );
    for (const { gnaf_pid, mesh_block } of addresses()) {
      if (mesh_block !== null)
        expect(mesh_block).toBe(wrong.get(gnaf_pid) ?? truth.get(gnaf_pid)!.mesh_block);
    }
  });

  it('foretells every reject, drop and repair', () => {
    // Others are held against the truth elsewhere: social.test.ts, sample_nearby.test.ts, sample_market.test.ts.
    const isRead = ({ file }: Record<string, string>) =>
      !/^(schools|census|seifa|transport|places|listings|reaxml|nsw_psi|sales)\//.test(file!);
    const expected = truthOf(out, 'bad_rows')
      .filter(isRead)
      .filter(({ code }) => code !== 'duplicate_key');
    const sorted = (list: string[]) => list.sort();
    expect(sorted(rejects.map(({ file, code }) => `${last(file)} ${code}`))).toEqual(
      sorted(expected.map(({ file, code }) => `${last(file!)} ${code}`)),
    );
    const drops = accounts
      .filter(({ file }) => file.endsWith('.shp'))
      .flatMap(({ file, drops: named }) =>
        Object.entries(named).map(([name, n]) => `${last(file)} ${name} ${n}`),
      );
    expect(sorted(drops)).toEqual(
      sorted(
        truthOf(out, 'drops')
          .filter(isRead)
          .map(({ file, name, rows: n }) => `${last(file!)} ${name} ${n}`),
      ),
    );
    const repaired = table('parcel').filter((row) => row.repaired !== null);
    expect(sorted(repaired.map((row) => row.repaired))).toEqual(
      sorted(truthOf(out, 'repairs').map((row) => row.repaired!)),
    );
    for (const { file, rows_in } of accounts) {
      const counted = truthOf(out, 'rows').find((row) => last(row.file!) === last(file));
      if (counted) expect(rows_in, file).toBe(Number(counted.rows));
    }
  });
});
