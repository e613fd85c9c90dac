import { writeBox } from './boxes.ts';
import type { LayerEdges } from './layer_edges.ts';

/** Maximum parts of a leaf, and children of other nodes: few enough for tight boxes. */
export const FAN = 8;

/** Boxes around successive parts of each feature, and boxes around those, so that only the relevant parts of a large feature are read. */
export interface EdgeTree {
  /** Parts of feature f: from first_part[f] to first_part[f + 1], exclusive. */
  readonly first_part: Uint32Array;
  /** Leaf k of feature f, starting at leaves.first[f], holds FAN parts starting at first_part[f] + k × FAN. */
  readonly leaves: FeatureBoxes;
  /** Branch k of feature f holds FAN leaves starting at the feature's leaf k × FAN; each limb holds FAN branches. */
  readonly branches: FeatureBoxes;
  readonly limbs: FeatureBoxes;
  /** Bounding box of each feature, as in boxes.ts; NaN for a feature without parts. */
  readonly features: Float64Array;
}

/** Boxes by feature, as in boxes.ts; feature f has first[f] to first[f + 1], exclusive. */
interface FeatureBoxes {
  readonly first: Uint32Array;
  readonly boxes: Float64Array;
}

/** Returns the first part of each feature; `featureOf` ascends with the piece. */
function firstParts({ piece }: LayerEdges, featureOf: Int32Array, features: number): Uint32Array {
  const first = new Uint32Array(features + 1);
  for (let k = 0; k < piece.length; k++) first[featureOf[piece[k]!]! + 1]!++;
  for (let f = 0; f < features; f++) first[f + 1]! += first[f]!;
  return first;
}

/** Allocates one box per FAN successive items of each feature. */
function boxesAbove(first: Uint32Array): FeatureBoxes {
  const features = first.length - 1;
  const ownEdges = new Uint32Array(features + 1);
  for (let f = 0; f < features; f++)
    ownEdges[f + 1] = ownEdges[f]! + Math.ceil((first[f + 1]! - first[f]!) / FAN);
  return { first: ownEdges, boxes: new Float64Array(ownEdges[features]! * 4) };
}

/** Returns the boxes around FAN successive parts of each feature. */
function leafBoxes(first: Uint32Array, xy: Float64Array): FeatureBoxes {
  const leaves = boxesAbove(first);
  let at = 0;
  for (let f = 0; f + 1 < first.length; f++) {
    for (let from = first[f]!, end = first[f + 1]!; from < end; from += FAN) {
      const to = from + FAN < end ? from + FAN : end;
      let minX = Infinity;
      let minY = Infinity;
      let maxX = -Infinity;
      let maxY = -Infinity;
      for (let i = from * 4; i < to * 4; i += 2) {
        const x = xy[i]!;
        const y = xy[i + 1]!;
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
      }
      writeBox(leaves.boxes, at, minX, minY, maxX, maxY);
      at += 4;
    }
  }
  return leaves;
}

/** Writes the box around boxes `from` to `to`. */
function writeAround(items: Float64Array, from: number, to: number, boxes: Float64Array, at: number): void {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let i = from * 4; i < to * 4; i += 4) {
    minX = Math.min(minX, items[i]! - items[i + 2]!);
    minY = Math.min(minY, items[i + 1]! - items[i + 3]!);
    maxX = Math.max(maxX, items[i]! + items[i + 2]!);
    maxY = Math.max(maxY, items[i + 1]! + items[i + 3]!);
  }
  writeBox(boxes, at, minX, minY, maxX, maxY);
}

/** Returns the boxes around FAN successive boxes of each feature. */
function branchesOver({ first, boxes }: FeatureBoxes): FeatureBoxes {
  const above = boxesAbove(first);
  let at = 0;
  for (let f = 0; f + 1 < first.length; f++) {
    for (let from = first[f]!, end = first[f + 1]!; from < end; from += FAN) {
      writeAround(boxes, from, Math.min(from + FAN, end), above.boxes, at);
      at += 4;
    }
  }
  return above;
}

/** Returns the box around all limbs of each feature. */
function wholeBoxes({ first, boxes }: FeatureBoxes): Float64Array {
  const features = first.length - 1;
  const out = new Float64Array(features * 4).fill(Number.NaN);
  for (let f = 0; f < features; f++) {
    if (first[f]! < first[f + 1]!) writeAround(boxes, first[f]!, first[f + 1]!, out, f * 4);
  }
  return out;
}

/** Builds the tree over the parts of a layer with `features` features. */
export function edgeTree(edges: LayerEdges, featureOf: Int32Array, features: number): EdgeTree {
  const first_part = firstParts(edges, featureOf, features);
  const leaves = leafBoxes(first_part, edges.xy);
  const branches = branchesOver(leaves);
  const limbs = branchesOver(branches);
  return { first_part, leaves, branches, limbs, features: wholeBoxes(limbs) };
}
