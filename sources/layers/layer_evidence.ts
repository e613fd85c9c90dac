/** Evidence for one layer of an adapter, in addition to the columns and values of its field maps. */
export interface LayerEvidence {
  /** Words for the layer, in the name of the file or layer and in columns such as DATASET. */
  readonly words: RegExp;
  /** Words for something else. */
  readonly against: RegExp | null;
  /** Maximum median area of its polygons, square metres, if none of its words is found; null: any. */
  readonly max_median_sqm: number | null;
}

export const layerEvidence = (
  evidence: Partial<LayerEvidence> & Pick<LayerEvidence, 'words'>,
): LayerEvidence => ({
  against: null,
  max_median_sqm: null,
  ...evidence,
});
