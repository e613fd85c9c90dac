import type { z } from 'zod';
import type { Serving } from './database.ts';

/**
 * Why there is no data. `not_covered`: no source covers the place. `not_matched`: a source covers it, but the property has no
 * match in it. `none_found`: covered, and there is none. `suppressed`: too few cases. `unknown_property`: no such property.
 */
export type NoData = 'not_covered' | 'not_matched' | 'none_found' | 'suppressed' | 'unknown_property';

/** What an endpoint answers: its payload, or the typed reason why there is none. */
export type Answer<T> = { data: T } | { no_data: NoData };

/** One endpoint of the specification: its payload's schema, and the query that gives it from the serving tables. */
export interface Endpoint<T = unknown> {
  /** Path after `/v1/properties/{gnaf_id}/`. */
  readonly path: string;
  /** The `<thing>` of the reason slug `no_<thing>_for_<gnaf_id>`. */
  readonly thing: string;
  readonly payload: z.ZodType<T>;
  readonly query: (db: Serving, gnafId: string) => Promise<Answer<T>>;
}

/** The response envelope of the specification (section 2.1); `no_data` beside the slug is the typed reason. */
export type Envelope<T> =
  | { data: T }
  | { data: null; available: false; reason: string; message: string; no_data: NoData };

const MESSAGES: Record<NoData, (thing: string) => string> = {
  not_covered: (thing) => `No source of ${thing} covers this place.`,
  not_matched: (thing) => `The property has no match in the source of ${thing}.`,
  none_found: (thing) => `The source of ${thing} covers this place, and there is none.`,
  suppressed: (thing) => `Too few cases to give ${thing}.`,
  unknown_property: () => 'There is no property with this id.',
};

/** Asks one endpoint, checks the payload against its schema, and wraps it as the specification has it. */
export async function ask<T>(endpoint: Endpoint<T>, db: Serving, gnafId: string): Promise<Envelope<T>> {
  const answer = await endpoint.query(db, gnafId);
  if ('data' in answer) return { data: endpoint.payload.parse(answer.data) };
  const { no_data } = answer;
  return {
    data: null,
    available: false,
    reason: `no_${endpoint.thing}_for_${gnafId}`,
    message: MESSAGES[no_data](endpoint.thing.replaceAll('_', ' ')),
    no_data,
  };
}
