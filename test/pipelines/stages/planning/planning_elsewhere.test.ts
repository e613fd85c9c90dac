import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planningTheme } from '../../../../pipelines/stages/planning/planning_overlaps.ts';
import type { OverlapParcel } from '../../../../transforms/layers/overlap.ts';
import { WHOLE } from '../../../countries.ts';
import type { TestDatabase } from '../../../database.ts';
import { publishedSample } from '../../../published_sample.ts';

const MIN_SQM = 1;
const MIN_SHARE = 0.005;

interface Told {
  gnaf_pid: string;
  feature_id: string;
  overlap_sqm: number | null;
  share: number;
}

/** test/pipelines/nights follows them through nights in which addresses lose their coordinates and zones change. */
describe('zones and overlays of parcels in other cells, and of addresses without coordinates', () => {
  let dir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  /** What every address on a parcel has of a theme, from all pieces of the country. */
  async function expected(table: string, id: string): Promise<Told[]> {
    const pieces = await database.query<{ id: string; cell: number; geom: Uint8Array }>(
      `SELECT ${id} AS id, cell, geom FROM record.${table}`,
    );
    const { features, search } = planningTheme(pieces, (piece) => piece.id);
    const parcels = await database.query<OverlapParcel & { gnaf_pid: string }>(
      'SELECT a.gnaf_pid, p.* FROM asset.address_home a JOIN record.parcel p USING (parcel_id) ORDER BY 1',
    );
    expect(parcels.length).toBeGreaterThan(800);
    return parcels.flatMap((parcel) =>
      Array.from({ length: search.find(parcel) }, (_, k) => ({
        gnaf_pid: parcel.gnaf_pid,
        feature_id: features[search.feature[k]!]!.id,
        overlap_sqm: search.overlap_sqm[k]!,
        share: search.share[k]!,
      })).filter(({ overlap_sqm, share }) => overlap_sqm >= MIN_SQM && share >= MIN_SHARE),
    );
  }

  it('has addresses of both kinds', async () => {
    const [row] = await database.query<{ other: number; nowhere: number; planned: number }>(
      `SELECT count(*) FILTER (WHERE a.cell >= 0)::int AS other, count(*) FILTER (WHERE a.cell < 0)::int AS nowhere,
         count(*) FILTER (WHERE o.gnaf_pid IS NOT NULL)::int AS planned
       FROM asset.address_home a LEFT JOIN serving.property_overlay o USING (gnaf_pid) WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell`,
    );
    expect(row!.other).toBeGreaterThan(5);
    expect(row!.nowhere).toBeGreaterThan(1);
    expect(row!.planned).toBeGreaterThan(3);
  });

  it('tells every address what covers its parcel, to the bit, wherever that lies', async () => {
    const overlays = await database.query<Told>(
      `SELECT gnaf_pid, overlay_id AS feature_id, overlap_sqm, share FROM serving.property_overlay WHERE share IS NOT NULL`,
    );
    const key = ({ gnaf_pid, feature_id }: Told): string => `${gnaf_pid} ${feature_id}`;
    const sorted = (rows: Told[]): Told[] => rows.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(overlays)).toEqual(sorted(await expected('overlay_piece', 'overlay_id')));
    const zones = await database.query<Told>(
      'SELECT gnaf_pid, zone_id AS feature_id, share FROM serving.property_zoning',
    );
    const shares = new Map(
      (await expected('zone_piece', 'zone_id')).map((each) => [key(each), each.share] as const),
    );
    expect(zones.length).toBeGreaterThan(400);
    for (const zone of zones) expect(zone.share, key(zone)).toBe(shares.get(key(zone)) ?? null);
    expect(zones.filter(({ share }) => share !== null).length).toBeGreaterThan(400);
  });
});
