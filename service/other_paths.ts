import { EXPORT_PATH } from './exports.ts';
import { WATCH_PATH, WATCHES_PATH } from './watches.ts';

/** What the document says of every operation. */
interface Common {
  refusals: (statuses: readonly string[]) => object;
  headers: object;
}

const pathParameter = (name: string, description: string, type: string, example: unknown) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type },
  example,
});
const object = (description: string) => ({ 'application/json': { schema: { type: 'object', description } } });

/** Paths of the OpenAPI document that are no operations over the read contract: files, and watches. */
export function otherPaths(prices: Readonly<Record<string, number>>, { refusals, headers }: Common) {
  const price = prices[EXPORT_PATH]!;
  return {
    '/v1/exports': {
      get: {
        operationId: 'exports',
        tags: ['Exports'],
        summary: 'exports (free)',
        description: 'The exports of publications as a STAC catalogue.',
        'x-price-cents': 0,
        responses: {
          '200': {
            description: 'The catalogue.',
            headers,
            content: object('A STAC catalogue; its item links are the exports.'),
          },
          ...refusals(['401', '403', '405', '422', '429', '500', '503']),
        },
      },
    },
    [EXPORT_PATH]: {
      get: {
        operationId: 'export',
        tags: ['Exports'],
        summary: `an export (${price} cents, paid once by an account)`,
        description:
          'The files of an export as a STAC item: sizes, checksums, licences, and links for a week, which take byte ranges and no key.',
        'x-price-cents': price,
        parameters: [
          pathParameter('export', 'Title of an item link of the catalogue.', 'string', '42-parquet'),
        ],
        responses: {
          '200': {
            description: 'The export.',
            headers,
            content: { 'application/geo+json': { schema: { type: 'object', description: 'A STAC item.' } } },
          },
          ...refusals([
            '401',
            ...(price > 0 ? ['402'] : []),
            ...['403', '404', '405', '422', '429', '500', '503'],
          ]),
        },
      },
    },
    [WATCHES_PATH]: {
      get: {
        operationId: 'watches',
        tags: ['Watches'],
        summary: 'watches (free)',
        description: 'The watches of the account, with their states.',
        'x-price-cents': 0,
        responses: {
          '200': { description: 'The watches.', headers, content: object('The member watches lists them.') },
          ...refusals(['401', '403', '405', '429', '500', '503']),
        },
      },
      post: {
        operationId: 'watch_add',
        tags: ['Watches'],
        summary: 'a new watch (free)',
        description:
          'Tells an HTTPS address of changes of up to 10,000 properties after each publication, as Standard Webhooks. The first message has a challenge, which the receiver must answer with.',
        'x-price-cents': 0,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
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
              },
            },
          },
        },
        responses: {
          '201': {
            description: 'Its number, and the secret that messages are signed with.',
            headers,
            content: object('watch_id, secret, state, since.'),
          },
          ...refusals(['401', '403', '405', '413', '415', '422', '429', '500', '503']),
        },
      },
    },
    [WATCH_PATH]: {
      delete: {
        operationId: 'watch_remove',
        tags: ['Watches'],
        summary: 'end of a watch (free)',
        description: 'Removes a watch.',
        'x-price-cents': 0,
        parameters: [pathParameter('watch_id', 'Number of the watch.', 'integer', 1)],
        responses: {
          '204': { description: 'It is removed.' },
          ...refusals(['401', '403', '404', '405', '429', '500', '503']),
        },
      },
    },
  };
}
