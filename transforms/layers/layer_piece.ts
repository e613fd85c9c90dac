import type { AnyGeometry } from '../geo/wkb.ts';

/**
 * The part of a feature in one grid cell, as `cutIntoCells` and `cutLinesIntoCells` leave it; `cell` -1: a feature that was
 * not cut. `feature` is a number from 0 on that all pieces of a feature share. Pieces of one feature are of one kind, and two
 * of them in the same cell do not overlap.
 */
export type LayerPiece = AnyGeometry & { feature: number; cell: number };
