/** Fields that identify the event of a recorded flood. */
interface OfEvent {
  readonly layer: string;
  /** Starts with the state and a colon. */
  readonly feature_id: string;
  /** `YYYY-MM-DD`. Null: unknown. */
  readonly event_date: string | null;
}

/** A recorded flood event, wherever it is. */
interface Event {
  readonly state: string;
  readonly event_date: string;
}

/**
 * Combines recorded floods by event: pieces of one date in one state get the fields that `tell` returns for their event. A flood in
 * several layers or polygons then counts once and is the same at every property. Pieces without a date, and other hazards, are
 * unchanged.
 */
export function oneOfEachEvent<P extends OfEvent, E extends Event, T extends Partial<P>>(
  pieces: readonly P[],
  events: readonly E[],
  tell: (event: E) => T,
): P[] {
  const firstByEvent = new Map(events.map((event) => [`${event.state}:${event.event_date}`, tell(event)]));
  return pieces.map((piece) => {
    const { layer, feature_id, event_date } = piece;
    if (layer !== 'historical_flood' || event_date === null) return piece;
    const of = firstByEvent.get(feature_id.slice(0, feature_id.indexOf(':') + 1) + event_date);
    return of === undefined ? piece : { ...piece, ...of };
  });
}
