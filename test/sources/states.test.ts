import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { InputAccount } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { readPart } from './conformance.ts';
import { datasetOf } from './release_folder.ts';

const STATES = '/tmp/w/s19/shared/data/states';

async function load(adapter: string, path: string, options: object, crs: string | null = null) {
  const own = adapterNamed(adapter);
  const dataset = await datasetOf(path, { options: options as Record<string, unknown>, crs });
  const { release, parts } = await own.discover(dataset);
  const accounts: InputAccount[] = [];
  const notes = [...release.notes];
  const rows = new Map<string, Record<string, unknown>[]>();
  const rejects = [];
  for (const part of parts) {
    const read = await readPart(own, release, part);
    accounts.push(...read.accounts);
    notes.push(...read.notes);
    rejects.push(...read.rejects);
    for (const [table, found] of read.rows)
      rows.set(table.name, [...(rows.get(table.name) ?? []), ...(found as Record<string, unknown>[])]);
  }
  return { accounts, notes, rows, rejects };
}

describe('x', () => {
  it.each([
    ['zoning', 'qld_zones', { state: 'QLD' }],
    ['zoning', 'sa_zones', { state: 'SA' }],
    ['overlays', 'sa_overlays', { state: 'SA' }],
    ['hazards', 'sa_overlays', { state: 'SA', layer: 'bushfire' }],
    ['hazards', 'sa_overlays', { state: 'SA', layer: 'flood' }],
    ['hazards', 'sa_overlays', { state: 'SA', layer: 'heritage' }],
    ['zoning', 'wa/DPLH071_LPS_zones_murray.geojson', { state: 'WA' }],
    ['hazards', 'wa/DPLH006_state_register_wa.geojson', { state: 'WA', layer: 'heritage' }, 'EPSG:7844'],
    ['hazards', 'nsw/nsw_contaminated_sites_botany.geojson', { state: 'NSW', field_map: 'epa_sites' }, 'EPSG:7844'],
    ['cadastre', 'tas_cadastre/parcels_DERIVED_with_cid.geojson', { state: 'TAS' }],
    ['cadastre', 'tas_cadastre/parcels.geojson', { state: 'TAS' }],
    ['gtfs', 'tas_gtfs', { state: 'TAS' }],
    ['gtfs', 'nt_gtfs', { state: 'NT' }],
    ['schools', 'nsw/nsw_schools_master_2026.csv', {state: 'NSW'}],
    ['asgs', 'national/SA2_2021_AUST.xlsx', {}],
    ['reaxml', 'reaxml', {}],
  ])('%s %s %j', async (adapter, path, options, crs?: string) => {
    try {
      const r = await load(adapter, join(STATES, path), options, crs ?? null);
      const names = (t: string, f: (x: any) => string) => {
        const c: Record<string, number> = {};
        for (const x of r.rows.get(t) ?? []) c[f(x)] = (c[f(x)] ?? 0) + 1;
        return Object.entries(c).sort((a, b) => b[1] - a[1]).slice(0, 14);
      };
      console.log(adapter, path, JSON.stringify(options), JSON.stringify(r.accounts.map((a) => ({ f: a.file.slice(-30), t: a.table, n: a.rows_in, r: a.records, x: a.rejects, d: a.drops, u: a.unknown, c: a.uncategorised }))), '\nNOTES', r.notes, '\nREJ', r.rejects.slice(0, 3),
        JSON.stringify(names('zone_piece', (x) => `${x.code}|${x.name}|${x.category}`)), JSON.stringify(names('hazard_piece', (x) => `${x.feature_id}|${x.name}|${x.severity}|${x.is_assessed}`)), JSON.stringify(names('overlay_piece', (x) => `${x.layer}|${x.code}|${x.value}`)), JSON.stringify(names('parcel', (x) => `${x.parcel_id}|${x.lot_plan}`)), JSON.stringify([...r.rows.keys()]));
    } catch (e) {
      console.log(adapter, path, 'ERROR', String((e as Error).message).slice(0, 600));
    }
  });
});
