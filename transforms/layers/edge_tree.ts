import { writeBox } from './boxes.ts';
import type { LayerEdges } from './layer_edges.ts';

/** Parts of a leaf, and children of any other node: few enough that a box says where they are. */
export const FAN = 8;

/** Boxes around successive parts of each feature, and boxes around those: so that a feature of any size is looked at only where it matters. */
export interface EdgeTree {
  /** Parts of feature f: from first_part[f] up to first_part[f + 1]. */
  readonly first_part: Uint32Array;
  /** Leaf k of feature f, from leaves.first[f] on, holds FAN parts from first_part[f] + k × FAN on. */
  readonly leaves: FeatureBoxes;
  /** Branch k of feature f holds FAN leaves from the (k × FAN)-th of the feature on, the limbs FAN branches each. */
  readonly branches: FeatureBoxes;
  readonly limbs: FeatureBoxes;
  /** The box around each feature, as in boxes.ts; of one without parts it is nowhere (NaN). */
  readonly features: Float64Array;
}

/** Boxes by feature, as in boxes.ts: those of feature f from first[f] up to first[f + 1]. */
interface FeatureBoxes {
  readonly first: Uint32Array;
  readonly boxes: Float64Array;
}

/** First parts of each feature; `featureOf` ascends with the piece. */
function firstParts({ piece }: LayerEdges, featureOf: Int32Array, features: number): Uint32Array {
  const first = new Uint32Array(features + 1);
  for (let k = 0; k < piece.length; k++) first[featureOf[piece[k]!]! + 1]!++;
  for (let f = 0; f < features; f++) first[f + 1]! += first[f]!;
  return first;
}

/** A box for every FAN successive items of each feature, to be filled in. */
function boxesAbove(first: Uint32Array): FeatureBoxes {
  const features = first.length - 1;
  const own = new Uint32Array(features + 1);
  for (let f = 0; f < features; f++) own[f + 1] = own[f]! + Math.ceil((first[f + 1]! - first[f]!) / FAN);
  return { first: own, boxes: new Float64Array(own[features]! * 4) };
}

/** Boxes around FAN successive parts of each feature. */
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

/** Boxes around FAN successive boxes of each feature. */
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

/** The box around all limbs of each feature. */
function wholeBoxes({ first, boxes }: FeatureBoxes): Float64Array {
  const features = first.length - 1;
  const out = new Float64Array(features * 4).fill(Number.NaN);
  for (let f = 0; f < features; f++) {
    if (first[f]! < first[f + 1]!) writeAround(boxes, first[f]!, first[f + 1]!, out, f * 4);
  }
  return out;
}

/** Builds the tree over the parts of a layer of so many features. */
export function edgeTree(edges: LayerEdges, featureOf: Int32Array, features: number): EdgeTree {
  const first_part = firstParts(edges, featureOf, features);
  const leaves = leafBoxes(first_part, edges.xy);
  const branches = branchesOver(leaves);
  const limbs = branchesOver(branches);
  return { first_part, leaves, branches, limbs, features: wholeBoxes(limbs) };
}
