import { open } from 'shapefile';
import { expect, it } from 'vitest';
import { recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../../transforms/geo/pieces.ts';
import { localPlane } from '../../../transforms/geo/plane.ts';
import { assemblePolygons } from '../../../transforms/geo/rings.ts';
import { buildFeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import type { LayerPiece } from '../../../transforms/layers/layer_piece.ts';
import { nearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import { prepareParcels } from '../../../transforms/layers/parcel_set.ts';
import { hasSharedData, sharedCsv, sharedPath } from '../../shared_data.ts';
import { readYarraParcels } from '../property/yarra_parcels.ts';
import { nearestToParcels } from './nearest_to_parcels.ts';

const there = hasSharedData('flood overlays of Yarra');

/** A flood overlay in GDA2020 degrees. */
interface Overlay {
  pfi: string;
  code: string;
  geometry: MultiPolygon;
}

async function readFloodOverlays(): Promise<Overlay[]> {
  const path = sharedPath('yarra/planning/VMPLAN/PLAN_OVERLAY');
  const source = await open(`${path}.shp`, `${path}.dbf`, { encoding: 'utf-8' });
  const convert = toGda2020(recogniseCrs('EPSG:4283', 'test'));
  const overlays: Overlay[] = [];
  for (;;) {
    const { done, value } = await source.read();
    if (done) return overlays;
    const { geometry, properties } = value;
    const code = String((properties as Record<string, unknown>).ZONE_CODE);
    if (!/^(LSIO|SBO)/.test(code)) continue;
    const polygons =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    const rings = polygons.flat() as [number, number][][];
    const ends: number[] = [];
    for (const ring of rings) ends.push((ends.at(-1) ?? 0) + ring.length);
    const coords = Float64Array.from(rings.flat(2));
    convert(coords);
    const assembled = assemblePolygons(coords, ends);
    if (assembled.geometry === undefined) throw new Error(assembled.reject.message);
    const pfi = String((properties as Record<string, unknown>).PFI);
    overlays.push({ pfi, code, geometry: assembled.geometry });
  }
}

it.runIf(there)(
  'agrees with all 300 rows of the expected floods',
  async () => {
    const overlays = await readFloodOverlays();
    const pfis = [...new Set(overlays.map(({ pfi }) => pfi))].sort();
    const pieces = overlays.flatMap(({ pfi, geometry }): LayerPiece[] =>
      [...cutIntoCells(geometry)].map((piece) => ({ ...piece, kind: 'polygon', feature: pfis.indexOf(pfi) })),
    );
    const byId = new Map((await readYarraParcels()).map((parcel) => [parcel.id, parcel]));
    const rows = sharedCsv('yarra/expected/flood.csv');
    const parcels = rows.map((row) => byId.get(row.id_stock!)!);
    const plane = localPlane(145.0, -37.806);
    const layer = buildFeatureLayer(pieces, plane);
    const set = prepareParcels(
      parcels.map(({ geometry }) => geometry),
      plane,
    );
    const found = nearestToParcels(layer, set, { within_m: 1000, on_min_sqm: 1 });
    const lonlat = Float64Array.from(parcels.flatMap(({ lon, lat }) => [lon, lat]));
    const points = nearestToPoints(layer, lonlat, { within_m: 1000 });
    const codeOf = pfis.map((pfi) => overlays.find((overlay) => overlay.pfi === pfi)!.code);
    const metres = (text: string): number => (text === '' ? Infinity : Number(text));
    const near = (own: number, expected: number): boolean =>
      own === expected || Math.abs(own - expected) < 0.05;
    const wrong = rows.flatMap((row, i) => {
      const overlap = Number(row.overlap_m2);
      const isSliver = overlap > 0 && overlap <= 1;
      const same = {
        on: isSliver || found.on[i] === Number(row.on_property),
        overlap: Math.abs(found.overlap_sqm[i]! - overlap) < 0.5,
        parcel_m: near(found.distance_m[i]!, metres(row.parcel_nearest_m!)),
        nearest: row.nearest_code === '' || codeOf[found.nearest[i]!] === row.nearest_code,
        parcel_features: found.features[i] === Number(row.parcel_features_1km),
        point_m: near(points.distance_m[i]!, metres(row.point_nearest_m!)),
        point_features: points.features[i] === Number(row.point_features_1km),
      };
      return Object.values(same).every(Boolean) ? [] : [{ row, same }];
    });
    expect(rows).toHaveLength(300);
    expect(wrong).toEqual([]);
  },
  60_000,
);
