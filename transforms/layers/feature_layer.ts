import type { Bbox } from '../../schema/grid.ts';
import type { EdgeBands } from '../geo/edge_bands.ts';
import { bboxOf } from '../geo/geometry.ts';
import type { Plane } from '../geo/plane.ts';
import { type EdgeTree, edgeTree } from './edge_tree.ts';
import { type FineGrid, fineGrid } from './fine_grid.ts';
import { collectCover, type LayerCover } from './layer_cover.ts';
import { collectEdges, type LayerEdges } from './layer_edges.ts';
import type { LayerPiece } from './layer_piece.ts';

/** Features of one layer, indexed for distances, counts and overlaps around many subjects. Built by buildFeatureLayer. */
export interface FeatureLayer {
  readonly plane: Plane;
  readonly grid: FineGrid;
  /** Sorted by feature, then cell. */
  readonly pieces: readonly LayerPiece[];
  readonly featureOf: Int32Array;
  /** Pieces of feature f: from first_piece[f] to first_piece[f + 1], exclusive. */
  readonly first_piece: Uint32Array;
  readonly isPolygon: Uint8Array;
  readonly hasPolygons: boolean;
  /** Whether some pieces are polygons and some are not. */
  readonly isMixed: boolean;
  /** Highest feature number plus one. */
  readonly features: number;
  readonly edges: LayerEdges;
  readonly cover: LayerCover;
  /** Steps in eight directions from a fine cell to the nearest one with an edge; 255: at least that many, or none. */
  readonly steps: Uint8Array;
  /** Edges of polygons by piece, computed on demand. */
  readonly bands: (EdgeBands | undefined)[];
  /** Edges by feature, built on demand. Use treeOf. */
  tree: EdgeTree | null;
}

export function treeOf(layer: FeatureLayer): EdgeTree {
  layer.tree ??= edgeTree(layer.edges, layer.featureOf, layer.features);
  return layer.tree;
}

/** Orders pieces independently of their input order; equal ones are interchangeable. */
function comparePieces(a: LayerPiece, b: LayerPiece): number {
  const byNumber =
    a.feature - b.feature || a.cell - b.cell || a.geometry.coords.length - b.geometry.coords.length;
  if (byNumber !== 0) return byNumber;
  for (let i = 0; i < a.geometry.coords.length; i++) {
    const difference = a.geometry.coords[i]! - b.geometry.coords[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns the part of the region that the pieces' bounding box covers. Null: none. */
function occupied(pieces: readonly LayerPiece[], region: Bbox): Bbox | null {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { geometry } of pieces) {
    const ownBox = bboxOf(geometry.coords);
    box[0] = Math.min(box[0], ownBox[0]);
    box[1] = Math.min(box[1], ownBox[1]);
    box[2] = Math.max(box[2], ownBox[2]);
    box[3] = Math.max(box[3], ownBox[3]);
  }
  box[0] = Math.max(box[0], region[0]);
  box[1] = Math.max(box[1], region[1]);
  box[2] = Math.min(box[2], region[2]);
  box[3] = Math.min(box[3], region[3]);
  return box[0] <= box[2] && box[1] <= box[3] ? box : null;
}

const EVERYWHERE: Bbox = [-Infinity, -Infinity, Infinity, Infinity];

/** Returns the steps in eight directions from each fine cell to the nearest one with an edge: one sweep down, one back. */
function stepsToEdges({ cols, rows }: FineGrid, { starts }: LayerEdges): Uint8Array {
  const steps = new Uint8Array(cols * rows).fill(255);
  const at = (col: number, row: number): number =>
    col < 0 || row < 0 || col >= cols || row >= rows ? 255 : steps[row * cols + col]!;
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const k = row * cols + col;
      if (starts[k] !== starts[k + 1]) steps[k] = 0;
      else
        steps[k] =
          Math.min(254, at(col - 1, row), at(col - 1, row - 1), at(col, row - 1), at(col + 1, row - 1)) + 1;
    }
  }
  for (let row = rows - 1; row >= 0; row--) {
    for (let col = cols - 1; col >= 0; col--) {
      const k = row * cols + col;
      const next = Math.min(at(col + 1, row), at(col + 1, row + 1), at(col, row + 1), at(col - 1, row + 1));
      if (next + 1 < steps[k]!) steps[k] = next + 1;
    }
  }
  return steps;
}

function firstPieces(featureOf: Int32Array, features: number): Uint32Array {
  const first = new Uint32Array(features + 1);
  for (const feature of featureOf) first[feature + 1]!++;
  for (let f = 0; f < features; f++) first[f + 1]! += first[f]!;
  return first;
}

/**
 * Indexes the pieces of a layer. `plane` is centred near the subjects (`localPlane` of the middle of their cell). Needs all pieces
 * of the cells within the search radius of the subjects.
 * `region`, in degrees: bounding box of the subjects widened by the maximum search radius; features beyond it are left out.
 * Default: everything. Null: no features; searches accept it as an empty layer.
 */
export function buildFeatureLayer(
  pieces: readonly LayerPiece[],
  plane: Plane,
  region: Bbox = EVERYWHERE,
): FeatureLayer | null {
  const sorted = pieces.filter(({ geometry }) => geometry.coords.length > 0).sort(comparePieces);
  const box = occupied(sorted, region);
  if (box === null) return null;
  const grid = fineGrid(box, plane);
  const featureOf = Int32Array.from(sorted, ({ feature }) => feature);
  const isPolygon = Uint8Array.from(sorted, ({ kind }) => (kind === 'polygon' ? 1 : 0));
  const features = featureOf.at(-1)! + 1;
  const edges = collectEdges(grid, plane, sorted);
  return {
    plane,
    grid,
    pieces: sorted,
    featureOf,
    first_piece: firstPieces(featureOf, features),
    isPolygon,
    hasPolygons: isPolygon.includes(1),
    isMixed: isPolygon.includes(1) && isPolygon.includes(0),
    features,
    edges,
    cover: collectCover(grid, sorted),
    steps: stepsToEdges(grid, edges),
    bands: new Array(sorted.length),
    tree: null,
  };
}
