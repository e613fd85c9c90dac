import type { ExampleSubjects } from '../answers/examples.ts';
import { EXPORT_PATH } from '../files/exports.ts';
import { WATCH_PATH, WATCHES_PATH } from './watch_routes.ts';

/** Parts of the document that every operation has. */
interface Common {
  refusals: (statuses: readonly string[]) => object;
  headers: object;
}

const EVERY = ['400', '401', '403', '405', '429', '500', '503'];

const pathParameter = (name: string, description: string, type: string, example: unknown) => ({
  parameters: [{ name, in: 'path', required: true, description, schema: { type }, example }],
});
const content = (description: string, type = 'application/json') => ({
  [type]: { schema: { type: 'object', description } },
});

const NEW_WATCH = {
  type: 'object',
  properties: {
    url: { type: 'string', format: 'uri', description: 'HTTPS address of the receiver.' },
    ids: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 10_000,
      description: 'GNAF IDs.',
    },
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'Tables of properties, or table.column; without them all.',
    },
  },
  required: ['url', 'ids'],
  additionalProperties: false,
};

/** Example of a new watch. */
const watchExample = ({ gnaf_pid }: ExampleSubjects) => ({
  url: 'https://example.com/changes',
  ids: [gnaf_pid],
  fields: ['property_avm.predicted_price'],
});

/** Name, tag and texts of an operation. */
type OperationTexts = readonly [operationId: string, tag: string, summary: string, description: string];

/** Builds an operation from its texts, its answer, other statuses, and other members. */
const operationBuilder =
  ({ refusals, headers }: Common) =>
  (
    [operationId, tag, summary, description]: OperationTexts,
    answer: readonly [status: string, description: string, content?: object],
    otherStatuses: readonly string[] = [],
    otherMembers: object = {},
  ) => ({
    operationId,
    tags: [tag],
    summary,
    description: `${description} No MCP tool.`,
    'x-price-cents': 0,
    ...otherMembers,
    responses: {
      [answer[0]]: {
        description: answer[1],
        ...(answer[2] === undefined ? {} : { headers, content: answer[2] }),
      },
      ...refusals([...EVERY, ...otherStatuses].sort()),
    },
  });
type OperationBuilder = ReturnType<typeof operationBuilder>;

/** Paths of exports. `price`: cents of one. */
const exportPaths = (operation: OperationBuilder, price: number) => ({
  '/v1/exports': {
    get: operation(
      ['exports', 'Exports', 'exports (free)', 'The exports of publications as a STAC catalogue.'],
      ['200', 'The catalogue.', content('A STAC catalogue; its item links are the exports.')],
    ),
  },
  [EXPORT_PATH]: {
    get: operation(
      [
        'export',
        'Exports',
        `an export (${price} cents, paid once by an account)`,
        'The files of an export as a STAC item: sizes, checksums, licences, and links for a week, which take byte ranges and no key. Not for the sandbox key.',
      ],
      ['200', 'The export.', content('A STAC item.', 'application/geo+json')],
      [...(price > 0 ? ['402'] : []), '404', '422'],
      {
        'x-price-cents': price,
        ...pathParameter('export', 'Title of an item link of the catalogue.', 'string', '42-parquet'),
      },
    ),
  },
});

const watchPaths = (operation: OperationBuilder, subjects: ExampleSubjects) => ({
  [WATCHES_PATH]: {
    get: operation(
      [
        'watches',
        'Watches',
        'watches (free)',
        'The watches of the account, with their states. Not for the sandbox key.',
      ],
      ['200', 'The watches.', content('The member watches lists them.')],
    ),
    post: operation(
      [
        'watch_add',
        'Watches',
        'a new watch (free)',
        'Tells an HTTPS address of changes of up to 10,000 properties after each publication, as Standard Webhooks. The first message has a challenge, which the receiver must answer with. Not for the sandbox key.',
      ],
      ['201', 'Its number, and the secret of its signatures.', content('watch_id, secret, state, since.')],
      ['402', '409', '413', '415', '422'],
      {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: NEW_WATCH, example: watchExample(subjects) } },
        },
      },
    ),
  },
  [WATCH_PATH]: {
    delete: operation(
      ['watch_remove', 'Watches', 'end of a watch (free)', 'Removes a watch. Not for the sandbox key.'],
      ['204', 'It is removed.'],
      ['404'],
      pathParameter('watch_id', 'Number of the watch.', 'integer', 1),
    ),
  },
});

/** Paths of the OpenAPI document outside the read contract: files and watches. They are no MCP tools; the sandbox key may read the catalogue only. */
export function otherPaths(
  prices: Readonly<Record<string, number>>,
  subjects: ExampleSubjects,
  common: Common,
) {
  const operation = operationBuilder(common);
  return { ...exportPaths(operation, prices[EXPORT_PATH]!), ...watchPaths(operation, subjects) };
}
