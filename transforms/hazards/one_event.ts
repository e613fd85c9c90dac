/** What tells a recorded flood from others. */
interface OfEvent {
  readonly layer: string;
  /** Begins with the state and a colon. */
  readonly feature_id: string;
  /** `YYYY-MM-DD`; null: not known. */
  readonly event_date: string | null;
}

const eventOf = ({ layer, feature_id, event_date }: OfEvent): string | null =>
  layer === 'historical_flood' && event_date !== null
    ? `${feature_id.slice(0, feature_id.indexOf(':'))} ${event_date}`
    : null;

/**
 * Recorded floods by event: pieces of one date in one state take `told` of the one with the lowest feature_id, so that an event that
 * is in several layers, or in many polygons, counts once. Pieces without a date, and other hazards, stay what they are.
 */
export function oneOfEachEvent<P extends OfEvent, T extends Partial<P>>(
  pieces: readonly P[],
  told: (piece: P) => T,
): P[] {
  const first = new Map<string, P>();
  for (const piece of pieces) {
    const event = eventOf(piece);
    if (event === null) continue;
    const known = first.get(event);
    if (known === undefined || piece.feature_id < known.feature_id) first.set(event, piece);
  }
  return pieces.map((piece) => {
    const event = eventOf(piece);
    return event === null ? piece : { ...piece, ...told(first.get(event)!) };
  });
}
