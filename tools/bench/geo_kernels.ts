/** Cost per call of the geometry kernels on seeded shapes, beside Turf's where both do the same: `npx tsx tools/bench/geo_kernels.ts`. */
import { booleanPointInPolygon, multiPolygon, area as turfArea } from '@turf/turf';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { recogniseCrs, toGda2020 } from '../../transforms/geo/crs.ts';
import { type MultiPolygon, toGeoJson } from '../../transforms/geo/geometry.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { pointInMultiPolygon } from '../../transforms/geo/point_in_polygon.ts';
import { assemblePolygons } from '../../transforms/geo/rings.ts';
import { decodeWkb, encodeWkb } from '../../transforms/geo/wkb.ts';

/** A wavy ring of n edges with a mean radius in degrees. */
function wavyRing(n: number, radius: number): MultiPolygon {
  const coords = new Float64Array((n + 1) * 2);
  for (let i = 0; i <= n; i++) {
    const a = ((i % n) / n) * 2 * Math.PI;
    const r = radius * (1 + 0.2 * Math.sin(a * 37) + 0.001 * Math.sin(a * 4001));
    coords[i * 2] = 145.017 + r * Math.cos(a);
    coords[i * 2 + 1] = -37.009 + r * Math.sin(a);
  }
  return { coords, ringEnds: [n + 1], polygonEnds: [1] };
}

function measure(name: string, runs: number, run: () => void): void {
  for (let i = 0; i < Math.ceil(runs / 10); i++) run();
  const started = performance.now();
  for (let i = 0; i < runs; i++) run();
  const us = ((performance.now() - started) * 1000) / runs;
  console.log(`${name.padEnd(44)} ${us.toFixed(3).padStart(12)} µs`);
}

const parcel = wavyRing(9, 0.0002);
const region = wavyRing(90_000, 0.4);
const turfParcel = multiPolygon(toGeoJson(parcel).coordinates);
const bytes = encodeWkb(parcel);
measure('assemble, 10 vertices', 100_000, () => assemblePolygons(parcel.coords, parcel.ringEnds));
measure('assemble, 90,000 vertices', 5, () => assemblePolygons(region.coords, region.ringEnds));
measure('area, 10 vertices', 100_000, () => geodesicAreaSqm(parcel));
measure('  by Turf', 100_000, () => turfArea(turfParcel));
measure('point in polygon, 10 vertices', 1_000_000, () => pointInMultiPolygon(145.017, -37.009, parcel));
measure('  by Turf', 1_000_000, () => booleanPointInPolygon([145.017, -37.009], turfParcel));
measure('cut 90,000 vertices into about 300 cells', 5, () => [...cutIntoCells(region)]);
measure('encode WKB, 10 vertices', 100_000, () => encodeWkb(parcel));
measure('decode WKB, 10 vertices', 100_000, () => decodeWkb(bytes));
for (const id of ['EPSG:4283', 'EPSG:28355', 'EPSG:3111', 'EPSG:3577']) {
  const crs = recogniseCrs(id, 'bench');
  const convert = toGda2020(crs);
  const points = new Float64Array(2000).map((_, i) =>
    crs.projected ? 2_400_000 + i * 7 : i % 2 ? -37 : 145,
  );
  measure(`1,000 points from ${id}`, 100, () => convert(points.slice()));
}
