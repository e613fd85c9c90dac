import { z } from 'zod';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type Answer, type AnswerExtras, extrasShape, NO_DATA } from './answer.ts';
import { textParam } from './parameters.ts';

interface PathParameter {
  readonly name: 'gnaf_id' | 'suburb_name';
  readonly schema: z.ZodType<string>;
  /** Schema of the path's parameters: only this one. */
  readonly path: z.ZodType;
}

/** Texts of a tool for a model, in addition to its answer and cost. */
export interface ToolText {
  readonly title: string;
  /** When to use this tool, or another one. */
  readonly use: string;
}

/** Declaration of an operation without its query. */
export interface OperationFacts<T = unknown, P = unknown> {
  /** Name of the OpenAPI operation; the tool has the same without `api_`. */
  readonly name: string;
  /** With POST the parameters are members of a JSON body. */
  readonly methods: readonly ('GET' | 'POST')[];
  /** Whole path with its parameter in braces; its key in the rate card. */
  readonly path: string;
  /** A: paths under /v1, with answers in an envelope. B: paths under /api, which answer the bare payload. */
  readonly family: 'A' | 'B';
  /** Section of the documents. */
  readonly tag: string;
  /** One sentence, or a few. */
  readonly doc: string;
  /** Null: not a tool. */
  readonly tool: ToolText | null;
  /** Parameter of the path. Null: none. */
  readonly id: PathParameter | null;
  /** Query parameters, or members of the body, with their defaults and bounds. */
  readonly params: z.ZodType<P>;
  readonly payload: z.ZodType<T>;
  /** The whole body of a 200. */
  readonly response: z.ZodType;
  /** True if it can be asked as of an earlier publication. */
  readonly hasAsOf: boolean;
  /** Member of the body to leave out of the entity tag because it differs in each call. Null: none. */
  readonly untagged: string | null;
}

/** One operation of the service, declared once: route, tool, OpenAPI operation, price, batch and documents follow from it. */
export interface Operation<T = unknown, P = unknown> extends OperationFacts<T, P> {
  /** Subject in the path: a property by its gnaf_pid, or a suburb by its canonical SAL name (with `level`, a region). Null: none. */
  readonly subject: 'property' | 'suburb' | null;
  /** Path after `/v1/properties/{gnaf_id}/`; of a suburb `suburb/` and the path after `/v1/suburbs/{suburb_name}/`; without subject the whole path. */
  readonly subpath: string;
  /** Price in the program's own rate card. */
  readonly price_cents: number;
  /** The `<thing>` of the reason slug `no_<thing>_for_<id>`. */
  readonly noun: string;
  /** Schema of the fields next to `data`; absent: none. */
  readonly extras?: z.ZodType<AnswerExtras>;
  /**
   * Reads the answer from the serving tables. `id`: the subject, else empty. `card`: the prices of the call, for the rate card operation.
   */
  query(db: Serving, id: string, params: P, card?: RateCard): Promise<Answer<T>>;
}

/** An operation whose payload and parameters are not looked at one by one. */
// biome-ignore lint/suspicious/noExplicitAny: a list holds operations of all payloads and parameters.
export type AnyOperation = Operation<any, any>;

/** Price of a bundle: the sum of its parts. */
export const priceOfAll = (parts: readonly AnyOperation[]): number =>
  parts.reduce((cents, { price_cents }) => cents + price_cents, 0);

/** Schema for operations without parameters: any name is refused. */
export const noParams = z.strictObject({});
export type NoParams = z.infer<typeof noParams>;

const pathParameter = (name: PathParameter['name'], schema: z.ZodType<string>): PathParameter => ({
  name,
  schema,
  path: z.strictObject({ [name]: schema }),
});
const GNAF_ID = pathParameter(
  'gnaf_id',
  textParam(50)
    .min(1)
    .meta({ description: "The property's GNAF ID.", examples: ['GAVIC419929404'] }),
);
/** Which suburb a name means, wherever a parameter names one. */
export const SUBURB_NAME_DOC =
  'A suburb has its canonical SAL name only, in any case, with the state in parentheses if it has one; geocode/suburb finds it.';
const SUBURB_NAME = pathParameter(
  'suburb_name',
  textParam(200)
    .min(1)
    .meta({
      description: `Name of the suburb; with level, the code or name of a region. ${SUBURB_NAME_DOC}`,
      examples: ['St Kilda (Vic.)'],
    }),
);

/** The envelope of the specification (section 2.1) around a payload. */
const envelopeOf = (payload: z.ZodType, extras?: z.ZodType<AnswerExtras>): z.ZodType =>
  z.strictObject({
    data: payload.nullable().meta({ description: 'The payload; null when there is no data.' }),
    available: z.literal(false).optional().meta({ description: 'Only if there is no data.' }),
    reason: z.string().optional().meta({ description: 'no_<thing>_for_<id>; only if there is no data.' }),
    message: z.string().optional(),
    no_data: z.enum(NO_DATA).optional().meta({ description: 'Why there is no data.' }),
    ...extrasShape(extras),
  });

const slug = (path: string): string => path.replaceAll(/[^a-z0-9]+/gi, '_').replaceAll(/^_|_$/g, '');

const SUBURB = 'suburb/';

/** Whole path of an operation with a subject, from its subpath. */
export const operationPath = (subpath: string): string =>
  subpath.startsWith(SUBURB)
    ? `/v1/suburbs/{suburb_name}/${subpath.slice(SUBURB.length)}`
    : `/v1/properties/{gnaf_id}/${subpath}`;

/** Declaration of any operation. */
interface Declared<T, P> {
  readonly price_cents: number;
  readonly tool: ToolText;
  readonly doc: string;
  readonly noun: string;
  readonly payload: z.ZodType<T>;
  readonly extras?: z.ZodType<AnswerExtras>;
  readonly params: z.ZodType<P>;
  query(db: Serving, id: string, params: P): Promise<Answer<T>>;
}

/** Declaration of an operation with a subject. */
export interface OfSubject<T, P> extends Declared<T, P> {
  readonly subpath: string;
}

export const ofProperty = <T, P>(declaration: OfSubject<T, P>): Operation<T, P> => ({
  ...declaration,
  name: slug(`properties_${declaration.subpath}`),
  methods: ['GET'],
  path: operationPath(declaration.subpath),
  subject: 'property',
  id: GNAF_ID,
  family: 'A',
  tag: 'Property',
  response: envelopeOf(declaration.payload, declaration.extras),
  hasAsOf: true,
  untagged: null,
});

export const ofSuburb = <T, P>(declaration: OfSubject<T, P>): Operation<T, P> => ({
  ...declaration,
  name: slug(`suburbs_${declaration.subpath.slice(SUBURB.length)}`),
  methods: ['GET'],
  path: operationPath(declaration.subpath),
  subject: 'suburb',
  id: SUBURB_NAME,
  family: 'A',
  tag: 'Suburb',
  response: envelopeOf(declaration.payload, declaration.extras),
  hasAsOf: true,
  untagged: null,
});

/** Declaration of an operation without a subject. */
interface Searched<T, P> extends Omit<Declared<T, P>, 'tool' | 'noun' | 'extras' | 'query'> {
  readonly path: string;
  readonly methods: Operation['methods'];
  readonly tool?: ToolText;
  /** As in operations with a subject; required under /v1. */
  readonly noun?: string;
  /** True: it reads data that has no history. Absent: it can be asked as of an earlier publication. */
  readonly isOfToday?: true;
  readonly untagged?: string;
  query(db: Serving, params: P, card?: RateCard): Promise<Answer<T>>;
}

/** Declares an operation that takes only parameters and finds any number of things. Finding none is a normal answer. */
export const search = <T, P>({ isOfToday, query, ...own }: Searched<T, P>): Operation<T, P> => {
  const isFirst = own.path.startsWith('/v1/');
  return {
    tool: null,
    noun: '',
    untagged: null,
    ...own,
    name: slug(own.path.replace(/^\/v1\//, '')),
    subpath: own.path,
    subject: null,
    id: null,
    family: isFirst ? 'A' : 'B',
    tag: isFirst ? 'Search' : 'Family B',
    response: isFirst ? envelopeOf(own.payload) : own.payload,
    hasAsOf: isOfToday !== true,
    query: (db, _id, params, card) => query(db, params, card),
  };
};
