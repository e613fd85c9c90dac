import {
  IdentifierNode,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type SchemableIdentifierNode,
} from 'kysely';
import pLimit from 'p-limit';
import type pg from 'pg';
import type { Serving, ServingDatabase } from '../../schema/serving/database.ts';
import { openPool, type PoolOptions } from '../database.ts';
import { AS_OF_SCHEMA } from '../journal/as_of.ts';

/** Opens the serving tables for reading, with `settings` of the sessions. The caller closes it by `destroy()`. */
export const openServing = (url: string, connections = 1, options: PoolOptions = {}): Serving =>
  servingOn(openPool(url, connections, options));

/** Opens the serving tables over a pool, which is closed with them. */
const servingOn = (pool: pg.Pool): Serving => new Kysely({ dialect: new PostgresDialect({ pool }) });

/** Opens the serving tables on one client, which the caller keeps: statements run one after the other. */
export function servingOnClient(client: pg.ClientBase, plugins: KyselyPlugin[] = []): Serving {
  const one = pLimit(1);
  const query = (text: string, values: unknown[]) => one(() => client.query(text, values));
  const onlyClient = { query, release: () => undefined };
  const pool = { connect: async () => onlyClient as unknown as pg.PoolClient, end: async () => undefined };
  return new Kysely<ServingDatabase>({ dialect: new PostgresDialect({ pool }), plugins });
}

/** Returns the session setting to read as the API's role, which reads only serving. */
export const asReader = (role: string): string => `role=${role}`;

/** Redirects queries from the schema serving to another one, and adds a prefix to the table names. */
class OtherSchema extends OperationNodeTransformer {
  readonly #schema: string;
  readonly #prefix: string;

  constructor(schema: string, prefix: string) {
    super();
    this.#schema = schema;
    this.#prefix = prefix;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    const transformed = super.transformSchemableIdentifier(node);
    if (transformed.schema?.name !== 'serving') return transformed;
    return {
      ...transformed,
      schema: IdentifierNode.create(this.#schema),
      identifier: IdentifierNode.create(this.#prefix + transformed.identifier.name),
    };
  }
}

/** Opens the views of `withAsOf` for the same queries on the same client; with a prefix, the views of `withBetween`. */
export const servingAsOf = (client: pg.ClientBase, prefix = ''): Serving =>
  servingIn(client, AS_OF_SCHEMA, prefix);

/** Opens the views of another schema, such as the candidate's, for the same queries on the same client. */
export function servingIn(client: pg.ClientBase, schema: string, prefix = ''): Serving {
  const other = new OtherSchema(schema, prefix);
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => other.transformNode(node),
    transformResult: async ({ result }) => result,
  };
  return servingOnClient(client, [plugin]);
}
