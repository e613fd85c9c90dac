import { type EdgeBands, edgeBands, insideBands } from '../geo/edge_bands.ts';
import type { MultiPolygon } from '../geo/geometry.ts';
import type { FeatureLayer } from './feature_layer.ts';

/** Returns the edges of a polygon piece, sorted into bands at the first call. */
export function bandsOf(layer: FeatureLayer, piece: number): EdgeBands {
  layer.bands[piece] ??= edgeBands(layer.pieces[piece]!.geometry as MultiPolygon);
  return layer.bands[piece];
}

/** Finds the polygons at a point. Reused from point to point. */
export class InsideSearch {
  /** Features found, ascending: the first `count`. */
  features = new Int32Array(16);
  count = 0;
  private readonly layer: FeatureLayer;
  private readonly stamp: Int32Array;
  private token = 0;

  constructor(layer: FeatureLayer) {
    this.layer = layer;
    this.stamp = new Int32Array(layer.pieces.length).fill(-1);
  }

  /** Finds the polygon features that contain a point (degrees) of a fine cell of the grid; boundary rule as in pointInMultiPolygon. */
  find(col: number, row: number, lon: number, lat: number): void {
    const { grid, edges, cover, featureOf, isPolygon } = this.layer;
    this.count = 0;
    if (col < 0 || row < 0 || col >= grid.cols || row >= grid.rows) return;
    const cell = row * grid.cols + col;
    this.token++;
    for (let k = edges.run_starts[cell]!, end = edges.run_starts[cell + 1]!; k < end; k++) {
      const piece = edges.run_piece[k]!;
      if (isPolygon[piece] === 0 || this.stamp[piece] === this.token) continue;
      this.stamp[piece] = this.token;
      if (insideBands(bandsOf(this.layer, piece), lon, lat)) this.add(featureOf[piece]!);
    }
    for (let k = cover.starts[cell]!, end = cover.starts[cell + 1]!; k < end; k++) {
      const piece = cover.pieces[k]!;
      if (this.stamp[piece] !== this.token) this.add(featureOf[piece]!);
    }
  }

  /** Keeps the list sorted and each feature once: two of its pieces may share a fine cell. */
  private add(feature: number): void {
    let at = this.count;
    while (at > 0 && this.features[at - 1]! > feature) at--;
    if (at > 0 && this.features[at - 1] === feature) return;
    if (this.count === this.features.length) {
      const larger = new Int32Array(this.count * 2);
      larger.set(this.features);
      this.features = larger;
    }
    this.features.copyWithin(at + 1, at, this.count);
    this.features[at] = feature;
    this.count++;
  }
}
