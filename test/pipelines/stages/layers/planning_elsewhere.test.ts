import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../../pipelines/report/report.ts';
import { planningTheme } from '../../../../pipelines/stages/layers/planning_overlaps.ts';
import type { OverlapParcel } from '../../../../transforms/hazards/overlap.ts';
import type { TestDatabase } from '../../../database.ts';
import { publishedSample } from '../../../published_sample.ts';
import { editDbf, editRows, editZip } from '../../edit_release.ts';
import { type Nights, nightsOf } from '../../nights.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../../sample_run.ts';

const COUNTRY = [900, 6, 'planning'] as const;
const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';
const MIN_SQM = 1;
const MIN_SHARE = 0.005;

const partitionsRun = (report: RunReport, name: string): number =>
  report.stages.find((one) => one.stage === name)!.partitions_run;

interface Told {
  gnaf_pid: string;
  feature_id: string;
  overlap_sqm: number | null;
  share: number;
}

describe('zones and overlays of parcels in other cells, and of addresses without coordinates', () => {
  let original: string;
  let dir: string;
  let database: TestDatabase;
  let nights: Nights;

  beforeAll(async () => {
    ({ database, dir: original } = await publishedSample(...COUNTRY));
    dir = `${original}-edited`;
    await cp(original, dir, { recursive: true });
    nights = nightsOf(COUNTRY, database, dir);
  });

  afterAll(async () => {
    await nights?.drop();
    await database?.drop();
    await rm(original, { recursive: true, force: true });
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

  it('follows an address that loses its coordinates, a zone that changes there, and both when they come back', async () => {
    const before = await digestOf(database);
    const [picked] = await database.query<{
      gnaf_pid: string;
      zone_id: string;
      share: number;
      at: number;
      home: number;
    }>(
      `SELECT z.gnaf_pid, z.zone_id, z.share, p.source_no AS at, a.home
       FROM serving.property_zoning z JOIN asset.address_home a USING (gnaf_pid)
       JOIN record.zone_piece p ON p.zone_id = z.zone_id AND p.cell = a.cell
       WHERE z.state = 'VIC' AND a.parcel_method = 'legal_id' AND a.home = a.cell AND z.share >= 0.5
       ORDER BY 1 DESC LIMIT 1`,
    );
    const { gnaf_pid, zone_id, share, at, home } = picked!;
    const told = async (): Promise<Record<string, unknown>[]> =>
      database.query(
        'SELECT cell, zone_id, code, method, share FROM serving.property_zoning WHERE gnaf_pid = $1',
        [gnaf_pid],
      );
    let site = '';
    await editZip(join(dir, GNAF), /VIC_ADDRESS_DETAIL_psv\.psv$/, (text) =>
      editRows(text, (row, columns) => {
        if (row[0] === gnaf_pid) site = row[columns.indexOf('ADDRESS_SITE_PID')]!;
        return row;
      }),
    );
    // Its site gives a point where the address itself has none.
    await editZip(join(dir, GNAF), /VIC_ADDRESS_(DEFAULT|SITE)_GEOCODE_psv\.psv$/, (text) =>
      editRows(text, (row) => (row.includes(gnaf_pid) || row.includes(site) ? null : row)),
    );
    const lost = await refreshSample(database, dir, OPEN_GATES);
    expect(lost.error).toBeNull();
    expect(partitionsRun(lost, 'serve_property_zoning')).toBe(1);
    expect(await told()).toMatchObject([{ cell: home, zone_id, method: 'largest_share', share }]);
    await nights.over();

    await editDbf(join(dir, 'planning/vic/PLAN_ZONE.dbf'), at - 1, 'ZONE_CODE', 'NRZ9');
    const changed = await refreshSample(database, dir, OPEN_GATES);
    expect(changed.error).toBeNull();
    expect(await told()).toMatchObject([{ cell: home, zone_id, code: 'NRZ9', share }]);
    await nights.over();

    for (const file of [GNAF, 'planning/vic/PLAN_ZONE.dbf']) await cp(join(original, file), join(dir, file));
    expect((await refreshSample(database, dir, OPEN_GATES)).error).toBeNull();
    expect(await digestOf(database)).toBe(before);
  });

  it('follows a zone that changes where the parcel of an address of another cell lies', async () => {
    const [picked] = await database.query<{ gnaf_pid: string; at: number }>(
      `SELECT z.gnaf_pid, p.source_no AS at FROM serving.property_zoning z JOIN asset.address_home a USING (gnaf_pid)
       JOIN record.zone_piece p ON p.zone_id = z.zone_id AND p.cell = a.home
       WHERE z.state = 'VIC' AND a.cell >= 0 AND a.home <> a.cell AND z.share IS NOT NULL ORDER BY 1 LIMIT 1`,
    );
    const { gnaf_pid, at } = picked!;
    await editDbf(join(dir, 'planning/vic/PLAN_ZONE.dbf'), at - 1, 'ZONE_CODE', 'NRZ8');
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(partitionsRun(report, 'serve_property_zoning')).toBeGreaterThan(0);
    const [row] = await database.query('SELECT code FROM serving.property_zoning WHERE gnaf_pid = $1', [
      gnaf_pid,
    ]);
    expect(row).toEqual({ code: 'NRZ8' });
    await nights.over();
    await nights.compared();
  });
});
