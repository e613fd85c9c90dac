import {
  IdentifierNode,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type SchemableIdentifierNode,
} from 'kysely';
import type pg from 'pg';
import type { Serving, ServingDatabase } from '../schema/serving/database.ts';
import { AS_OF_SCHEMA } from './as_of.ts';
import { openPool, type PoolOptions } from './database.ts';
import { type ReadBy, readDialect, StatementNames } from './read_dialect.ts';
import { type Lender, sharing } from './sharing.ts';

/** Opens the serving tables for reading, with `settings` of the sessions. Closing is the caller's: `destroy()`. */
export const openServing = (url: string, connections = 1, options: PoolOptions = {}): Serving =>
  servingOn(openPool(url, connections, options));

const over = (pool: Lender, by: ReadBy): Serving => new Kysely({ dialect: readDialect(pool, by) });

/** The serving tables over a pool, which is closed with them. */
export const servingOn = (pool: pg.Pool): Serving =>
  over(pool, { names: new StatementNames(), isLabelled: false });

/**
 * The same for a pool with `isPipelined`, to be read by `readOf` (of_publication.ts): `db` on connections of its own, for what takes long and
 * for transactions, and `points` on connections that its readers share (sharing.ts). Closing `db` closes the pool.
 */
export function servingsOn(pool: pg.Pool): { db: Serving; points: Serving } {
  const by = { names: new StatementNames(), isLabelled: true };
  return { db: over(pool, by), points: over(sharing(pool), by) };
}

/** The setting of a session that reads as the role of the API, and so reads serving and nothing else. */
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

/**
 * The serving tables as they show inside `withAsOf`, by the same queries, on the same client; with a prefix those that `withBetween`
 * shows.
 */
export function servingAsOf(client: pg.ClientBase, prefix = ''): Serving {
  const other = new OtherSchema(prefix);
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => other.transformNode(node),
    transformResult: async ({ result }) => result,
  };
  const held = Object.assign(Object.create(client) as pg.PoolClient, {
    query: client.query.bind(client),
    release: () => undefined,
  });
  const pool = { connect: async () => held, end: async () => undefined };
  const dialect = new PostgresDialect({ pool: pool as unknown as pg.Pool });
  return new Kysely<ServingDatabase>({ dialect, plugins: [plugin] });
}
