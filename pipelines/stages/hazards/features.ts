/** The features that pieces belong to, numbered in the order of their ids. */
export interface NumberedFeatures<P> {
  /** One piece of each feature, by number: its attributes are those of the feature. */
  readonly features: readonly P[];
  /** Number of the feature of each piece. */
  readonly numberOf: Int32Array;
}

/** Numbers the features of pieces by the order of their ids, so that ties between features fall the same way everywhere. */
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
