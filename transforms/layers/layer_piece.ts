import type { AnyGeometry } from '../geo/wkb.ts';

/**
 * Part of a feature in one grid cell, from `cutIntoCells` or `cutLinesIntoCells`; `cell` -1: the feature was not cut. All pieces of
 * a feature share `feature`, a number from 0. Pieces of one feature are of one kind, and two of them in one cell do not overlap.
 */
export type LayerPiece = AnyGeometry & { feature: number; cell: number };
