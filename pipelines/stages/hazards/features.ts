/** Features of pieces, numbered in the order of their ids. */
export interface NumberedFeatures<P> {
  /** One piece of each feature, by feature number; all pieces of a feature have the same attributes. */
  readonly features: readonly P[];
  /** Feature number of each piece. */
  readonly numberOf: Int32Array;
}

/** Numbers the features of pieces by the order of their ids, so that ties between features are resolved the same way everywhere. */
export function numberFeatures<P>(pieces: readonly P[], idOf: (piece: P) => string): NumberedFeatures<P> {
  const byId = new Map<string, P>();
  for (const piece of pieces) {
    const id = idOf(piece);
    if (!byId.has(id)) byId.set(id, piece);
  }
  const ids = [...byId.keys()].sort();
  const numbers = new Map(ids.map((id, i) => [id, i]));
  return {
    features: ids.map((id) => byId.get(id)!),
    numberOf: Int32Array.from(pieces, (piece) => numbers.get(idOf(piece))!),
  };
}
