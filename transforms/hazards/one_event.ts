/** What tells a recorded flood from others. */
interface OfEvent {
  readonly layer: string;
  /** Begins with the state and a colon. */
  readonly feature_id: string;
  /** `YYYY-MM-DD`; null: not known. */
  readonly event_date: string | null;
}

/** What is told of a recorded flood, wherever it is. */
interface Event {
  readonly state: string;
  readonly event_date: string;
}

/**
 * Recorded floods by event: pieces of one date in one state take what `tell` says of their event, so that one that is in several layers,
 * or in many polygons, counts once and is the same flood at every home. Pieces without a date, and other hazards, stay what they are.
 */
export function oneOfEachEvent<P extends OfEvent, E extends Event, T extends Partial<P>>(
  pieces: readonly P[],
  events: readonly E[],
  tell: (event: E) => T,
): P[] {
  const told = new Map(events.map((event) => [`${event.state}:${event.event_date}`, tell(event)]));
  return pieces.map((piece) => {
    const { layer, feature_id, event_date } = piece;
    if (layer !== 'historical_flood' || event_date === null) return piece;
    const of = told.get(feature_id.slice(0, feature_id.indexOf(':') + 1) + event_date);
    return of === undefined ? piece : { ...piece, ...of };
  });
}
