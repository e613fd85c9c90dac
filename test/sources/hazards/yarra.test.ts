import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cellBbox } from '../../../schema/grid.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { coveragePieceRecord } from '../../../schema/records/coverage.ts';
import { hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import { hazardsAdapter } from '../../../sources/hazards/adapter.ts';
import { pointSegmentDistance } from '../../../transforms/geo/distance.ts';
import { PIECE_MARGIN_DEG } from '../../../transforms/geo/pieces.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { hasSharedData, sharedCsv } from '../../shared_data.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, YARRA } from '../release_folder.ts';

const present = hasSharedData('the hazards of the City of Yarra');

const EXTRACT = [144.962, -37.836, 145.039, -37.776];
const dataset = (layer: string) =>
  datasetOf(
    join(YARRA, 'planning/VMPLAN'),
    { options: { state: 'VIC', layer, coverage: { bbox: EXTRACT } } },
    /PLAN_(OVERLAY|CODELIST)\./,
  );

async function readLayer(layer: string) {
  const { parts, release } = await hazardsAdapter.discover(await dataset(layer));
  const [features, coverage] = [
    await readPart(hazardsAdapter, release, parts[0]!),
    await readPart(hazardsAdapter, release, parts[1]!),
  ];
  return { parts, release, features, coverage, pieces: features.rows.get(hazardPieceRecord)! };
}

describe.skipIf(!present)('hazards adapter, City of Yarra', () => {
  adapterConformance('hazards, City of Yarra', async () => ({
    adapter: hazardsAdapter,
    dataset: await dataset('flood'),
  }));

  it('takes the inundation overlays and names the rest as drops', async () => {
    const { release, features, coverage, pieces } = await readLayer('flood');
    expect(release.crs.applied).toBe('EPSG:4283');
    expect(features.rejects).toEqual([]);
    expect(features.accounts[0]).toMatchObject({ rows_in: 2782, records: 105, drops: { other_class: 2677 } });
    expect(features.notes).toEqual([]);
    const ids = new Map(pieces.map((piece) => [piece.feature_id, piece]));
    expect(ids.size).toBe(105);
    const codes = [...ids.values()].map(({ code }) => String(code).replace(/\d.*/, ''));
    expect(codes.filter((code) => code === 'LSIO')).toHaveLength(49);
    expect(codes.filter((code) => code === 'SBO')).toHaveLength(56);
    for (const piece of ids.values()) {
      expect(piece).toMatchObject({ severity: 2, is_assessed: true, event_date: null, shape: 'polygon' });
      expect(piece.name).toMatch(/^(Land Subject to Inundation|Special Building) Overlay/);
      expect(piece.feature_id).toMatch(/^VIC:flood:\d+$/);
    }
    expect(coverage.rows.get(coveragePieceRecord)!.length).toBeGreaterThan(1);
    expect(coverage.accounts).toMatchObject([{ file: 'option coverage', rows_in: 1, records: 1 }]);
  });

  it('takes heritage from the same file, those in force', async () => {
    const { features, pieces } = await readLayer('heritage');
    expect(features.accounts[0]!.records + (features.accounts[0]!.drops.not_gazetted ?? 0)).toBe(1711);
    expect(new Set(pieces.map((piece) => piece.layer))).toEqual(new Set(['heritage']));
  });

  it('lies where the oracle measured it from the address points', async () => {
    const { pieces } = await readLayer('flood');
    const shapes = pieces.map(outlineOf);
    const gnaf = await gnafAdapter.discover(await datasetOf(join(YARRA, 'gnaf'), {}, /\.zip$/));
    const points = new Map<string, readonly [number, number]>();
    for (const part of gnaf.parts) {
      const { rows } = await readPart(gnafAdapter, gnaf.release, part);
      for (const row of rows.get(addressRecord) ?? [])
        points.set(row.gnaf_pid as string, [row.lon as number, row.lat as number]);
    }
    let compared = 0;
    for (const row of sharedCsv('yarra/expected/flood.csv')) {
      const [lon, lat] = points.get(row.gnaf_pid!)!;
      const inside = shapes.some(({ geometry }) => pointInMultiPolygon(lon, lat, geometry));
      if (row.point_nearest_m === '') expect(inside).toBe(false);
      else {
        const nearest = inside ? 0 : nearestEdge(lon, lat, shapes);
        expect(Math.abs(nearest - Number(row.point_nearest_m)), row.gnaf_pid!).toBeLessThan(0.06);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(150);
  });
});

type Outline = ReturnType<typeof outlineOf>;

/** Vertices of a piece, and the edges by the vertex at which they begin; an edge along the rim of a cell is a cut and none. */
function outlineOf(piece: Record<string, unknown>) {
  const geometry = decodeWkb(piece.geom as Uint8Array);
  const { coords, ringEnds } = geometry;
  const rim = cellBbox(piece.cell as number).map((side, k) => side + (k < 2 ? -1 : 1) * PIECE_MARGIN_DEG);
  const onRim = (i: number): boolean =>
    rim.some((side, k) =>
      [i, i + 1].every((vertex) => Math.abs(coords[2 * vertex + (k % 2)]! - side) < 1e-12),
    );
  const edges: number[] = [];
  for (let i = 0; i < coords.length / 2 - 1; i++) if (!ringEnds.includes(i + 1) && !onRim(i)) edges.push(i);
  return { geometry, edges };
}

/** Metres to the nearest edge of any piece, brute force. */
function nearestEdge(lon: number, lat: number, outlines: readonly Outline[]): number {
  const plane = localPlane(lon, lat);
  let least = Infinity;
  for (const { geometry, edges } of outlines) {
    const xy = plane.project(geometry.coords);
    for (const i of edges) {
      const distance = pointSegmentDistance(0, 0, xy[2 * i]!, xy[2 * i + 1]!, xy[2 * i + 2]!, xy[2 * i + 3]!);
      least = Math.min(least, distance);
    }
  }
  return least;
}
