import {
  IdentifierNode,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type SchemableIdentifierNode,
} from 'kysely';
import type pg from 'pg';
import type { Serving, ServingDatabase } from '../../schema/serving/database.ts';
import { openPool, type PoolOptions } from '../database.ts';
import { AS_OF_SCHEMA } from '../journal/as_of.ts';

/** Opens the serving tables for reading, with `settings` of the sessions. Closing is the caller's: `destroy()`. */
export const openServing = (url: string, connections = 1, options: PoolOptions = {}): Serving =>
  servingOn(openPool(url, connections, options));

/** The serving tables over a pool, which is closed with them. */
export const servingOn = (pool: pg.Pool): Serving => new Kysely({ dialect: new PostgresDialect({ pool }) });

/** The same on one client, which the caller keeps. */
export const servingOnClient = (client: pg.ClientBase, plugins: KyselyPlugin[] = []): Serving =>
  over(client.query.bind(client), plugins);

/** The serving tables over something that takes queries as a client does. */
function over(query: pg.ClientBase['query'], plugins: KyselyPlugin[] = []): Serving {
  const held = { query, release: () => undefined };
  const pool = { connect: async () => held as unknown as pg.PoolClient, end: async () => undefined };
  return new Kysely<ServingDatabase>({ dialect: new PostgresDialect({ pool }), plugins });
}

/** Texts that a session prepares; what more there are is parsed and planned each time. */
const MOST_PREPARED = 500;

/** One for each client, for as long as the pool keeps it. */
const prepared = new WeakMap<pg.ClientBase, Serving>();

/** The same on a client that answers many calls: the server parses and plans each text once a session. */
export function preparedOnClient(client: pg.ClientBase): Serving {
  const known = prepared.get(client);
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  const query = (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    let name = names.get(text);
    if (name === undefined && names.size < MOST_PREPARED) {
      name = `serving_${names.size}`;
      names.set(text, name);
    }
    return client.query({ ...(name !== undefined && { name }), text, values });
  };
  const serving = over(query as unknown as pg.ClientBase['query']);
  prepared.set(client, serving);
  return serving;
}

/** Session setting to read as the API's role, which reads only serving. */
export const asReader = (role: string): string => `role=${role.replaceAll(/[\\\s]/g, '\\$&')}`;

/** Reads another schema where a query names the schema serving, and there what has its name after a prefix. */
class OtherSchema extends OperationNodeTransformer {
  readonly #prefix: string;

  constructor(prefix: string) {
    super();
    this.#prefix = prefix;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    const transformed = super.transformSchemableIdentifier(node);
    if (transformed.schema?.name !== 'serving') return transformed;
    return {
      ...transformed,
      schema: IdentifierNode.create(AS_OF_SCHEMA),
      identifier: IdentifierNode.create(this.#prefix + transformed.identifier.name),
    };
  }
}

/** The serving tables inside `withAsOf`, through the same queries on the same client; with a prefix those of `withBetween`. `on`: how the statements go out. */
export function servingAsOf(client: pg.ClientBase, prefix = '', on = servingOnClient): Serving {
  const other = new OtherSchema(prefix);
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => other.transformNode(node),
    transformResult: async ({ result }) => result,
  };
  return on(client, [plugin]);
}
