import { z } from 'zod';
import type { Serving } from '../schema/serving/database.ts';
import {
  isObject,
  notAnObject,
  type ParameterError,
  type Place,
  parameterErrors,
} from './parameter_errors.ts';
import { principalOf } from './principal.ts';

/**
 * Why there is no data. `not_covered`: no source covers the place. `not_matched`: a source covers it, but the property has no
 * match in it. `none_found`: covered, and there is none. `parcel_not_found`: a cadastre covers the place,
 * and the property lies on no parcel of its own. `suppressed`: too few cases.
 * `type_not_valued`: it is no dwelling of a kind that sales are valued by, as far as is known. `outside_evidence`: nothing like it has sold
 * near. `unknown_property`, `unknown_suburb`,
 * `unknown_region`: no such property, suburb or region.
 */
export const NO_DATA = [
  'not_covered',
  'not_matched',
  'none_found',
  'parcel_not_found',
  'suppressed',
  'type_not_valued',
  'outside_evidence',
  'unknown_property',
  'unknown_suburb',
  'unknown_region',
] as const;
export type NoData = (typeof NO_DATA)[number];

/** What stands beside the data of a response. */
export interface Beside {
  /** Of several hazard layers, which were found, and why the others were not. */
  layers?: Readonly<Record<string, 'found' | NoData>> | undefined;
  /** The suburb or region that the answer is of, by its canonical name. */
  region?: { level: string; code: string; name: string } | undefined;
}

/** The fields that may stand beside the data. */
export const shapeOf = (beside: z.ZodType<Beside> | undefined): Record<string, z.ZodType> =>
  (beside as unknown as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {};

/** What became of a part of a bundle: null where it has data, else why it has none; of a bundle within the bundle, of its parts. */
export type Outcome = NoData | null | Outcomes;
/** What became of the parts of a bundle, by the paths of their endpoints. */
export interface Outcomes {
  readonly [path: string]: Outcome;
}

/** What an endpoint answers: its payload, or the typed reason why there is none; a bundle says what became of its parts. */
export type Answer<T> = ({ data: T } | { no_data: NoData }) & { beside?: Beside; parts?: Outcomes };

/** One endpoint of the specification: its payload's schema, its parameters, and the query that answers it from the serving tables. */
export interface Endpoint<T = unknown, P = unknown> {
  /** What the path parameter names: a property by its gnaf_pid, or a suburb by its canonical SAL name (with `level`, a region). */
  readonly subject: 'property' | 'suburb';
  /** Path after `/v1/properties/{gnaf_id}/`; of a suburb `suburb/` and the path after `/v1/suburbs/{suburb_name}/`. */
  readonly path: string;
  /** The `<thing>` of the reason slug `no_<thing>_for_<gnaf_id>`. */
  readonly thing: string;
  /** One sentence, or a few. */
  readonly doc: string;
  readonly payload: z.ZodType<T>;
  /** What may stand beside the data; absent: nothing. */
  readonly beside?: z.ZodType<Beside>;
  /** Query parameters with their defaults and bounds. */
  readonly params: z.ZodType<P>;
  query(db: Serving, id: string, params: P): Promise<Answer<T>>;
}

/** For endpoints without parameters: any other name is refused. */
export const noParams = z.strictObject({});
export type NoParams = z.infer<typeof noParams>;

/** The response envelope of the specification (section 2.1); `no_data` beside the slug is the typed reason. */
export type Envelope<T> =
  | ({ data: T } & Beside)
  | ({ data: null; available: false; reason: string; message: string; no_data: NoData } & Beside);

const MESSAGES: Record<NoData, (thing: string) => string> = {
  not_covered: (thing) => `No source of ${thing} covers this place.`,
  not_matched: (thing) => `The property has no match in the source of ${thing}.`,
  parcel_not_found: () => 'A cadastre covers this place, but the property has no parcel of its own.',
  none_found: (thing) => `The source of ${thing} covers this place, and there is none.`,
  suppressed: (thing) => `Too few cases to give ${thing}.`,
  type_not_valued: (thing) => `The property is not known to be a dwelling of a kind that has ${thing}.`,
  outside_evidence: (thing) => `Nothing like the property has sold near enough to give ${thing}.`,
  unknown_suburb: () => 'There is no suburb of this name.',
  unknown_region: () => 'There is no region of this code or name.',
  unknown_property: () => 'There is no property with this id.',
};

const SLUG_MAX = 100;

/** A name as part of a slug: letters and digits, what stands between them one `_`. */
const slugged = (name: string): string =>
  name
    .slice(0, SLUG_MAX)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '') || 'unknown';

/** The envelope of an answer that has no data. */
export const noData = ({ thing, of, no_data }: { thing: string; of: string; no_data: NoData }) =>
  ({
    data: null,
    available: false,
    reason: `no_${thing}_for_${slugged(of)}`,
    message: MESSAGES[no_data](thing.replaceAll('_', ' ')),
    no_data,
  }) as const;

/** Reads parameters by their schema, or says what is wrong with them, and where they stand in the request. */
export function parseParams<P>(
  schema: z.ZodType<P>,
  query: Readonly<Record<string, unknown>>,
  place: Place = 'query',
): { params: P } | { detail: ParameterError[] } {
  if (!isObject(query)) return { detail: [notAnObject(query, place)] };
  const parsed = schema.safeParse(query);
  if (parsed.success) return { params: parsed.data };
  return { detail: parameterErrors(parsed.error.issues, schema, query, place) };
}

/** The parameters of a request with their defaults, or what is wrong with them as the specification has it (section 7). */
export function readParams<P>(
  endpoint: Endpoint<unknown, P>,
  query: Readonly<Record<string, unknown>>,
): { params: P } | { detail: ParameterError[] } {
  return parseParams(endpoint.params, query);
}

/**
 * Asks one endpoint, checks the payload against its schema, and wraps it as the specification has it. Parameters that are
 * left out take their defaults; wrong ones throw (readParams says what is wrong with them).
 */
export const ask = async <T, P>(
  endpoint: Endpoint<T, P>,
  db: Serving,
  id: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<Envelope<T>> => (await answerOf(endpoint, db, id, endpoint.params.parse(query))).envelope;

/** An envelope, and the principal that it is of where the id is that of an alias. */
interface Told<T> {
  envelope: Envelope<T>;
  principal: string | null;
  /** Of a bundle: what became of its parts. */
  parts: Outcomes | null;
}

function wrapped<T>(
  { thing, payload }: Pick<Endpoint<T>, 'thing' | 'payload'>,
  of: string,
  answer: Answer<T>,
): Envelope<T> {
  if ('data' in answer) return { data: payload.parse(answer.data), ...answer.beside };
  return { ...noData({ thing, of, no_data: answer.no_data }), ...answer.beside };
}

/** The same with parameters that have been read. An alias of a property is answered as its principal. */
export async function answerOf<T, P>(
  endpoint: Endpoint<T, P>,
  db: Serving,
  id: string,
  params: P,
): Promise<Told<T>> {
  // PostgreSQL takes no text with a character 0, so nothing can have that name.
  if (id.includes('\0')) {
    const no_data = endpoint.subject === 'suburb' ? 'unknown_suburb' : 'unknown_property';
    return { envelope: noData({ thing: endpoint.thing, of: id, no_data }), principal: null, parts: null };
  }
  const answer = await endpoint.query(db, id, params);
  if (!('no_data' in answer) || answer.no_data !== 'unknown_property')
    return { envelope: wrapped(endpoint, id, answer), principal: null, parts: answer.parts ?? null };
  const principal = await principalOf(db, id);
  const meant = principal === null ? answer : await endpoint.query(db, principal, params);
  return { envelope: wrapped(endpoint, principal ?? id, meant), principal, parts: meant.parts ?? null };
}
