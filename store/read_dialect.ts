import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { labelled } from './of_publication.ts';
import { type Found, readPrepared, type Shapes } from './prepared_read.ts';
import type { Lender } from './sharing.ts';

/** Most statements that one connection keeps prepared: lists of many lengths make many texts. */
const KEPT = 200;

/** Tables whose best plan depends on the values that are asked for: their statements are planned each time. */
const PLANNED_EACH_TIME = /"property_finder"/;

/**
 * Names of statements, told apart by their text: a statement with a name is parsed once on a connection and its plan kept, since planning a
 * join of three tables costs more than reading what it finds. One for all who read by the same connections.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** The name of a statement; undefined: it is not kept. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= KEPT || PLANNED_EACH_TIME.test(text)) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** How statements are sent: under whose names, and whether each says of which publication its rows are. */
export interface ReadBy {
  names: StatementNames;
  isLabelled: boolean;
}

class ReadConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  readonly #by: ReadBy;
  readonly #shapes: Shapes = new Map();

  constructor(client: pg.PoolClient, by: ReadBy) {
    this.client = client;
    this.#by = by;
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { names, isLabelled } = this.#by;
    const text = isLabelled ? labelled(sql) : sql;
    const options = { name: names.of(text), text, values: parameters, isLabelled };
    return readPrepared(this.client, this.#shapes, options) as Promise<Found & QueryResult<R>>;
  }

  streamQuery(): never {
    throw new Error('no statement of the read contract is read row by row');
  }
}

class ReadDriver implements Driver {
  readonly #pool: Lender;
  readonly #by: ReadBy;
  readonly #connections = new WeakMap<pg.PoolClient, ReadConnection>();

  constructor(pool: Lender, by: ReadBy) {
    this.#pool = pool;
    this.#by = by;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ReadConnection> {
    const client = await this.#pool.connect();
    const known = this.#connections.get(client);
    if (known !== undefined) return known;
    const connection = new ReadConnection(client, this.#by);
    this.#connections.set(client, connection);
    return connection;
  }

  async releaseConnection({ client }: ReadConnection): Promise<void> {
    client.release();
  }

  async beginTransaction({ client }: ReadConnection, { isolationLevel }: TransactionSettings): Promise<void> {
    await client.query(`BEGIN ISOLATION LEVEL ${isolationLevel ?? 'read committed'}`);
  }

  async commitTransaction({ client }: ReadConnection): Promise<void> {
    await client.query('COMMIT');
  }

  async rollbackTransaction({ client }: ReadConnection): Promise<void> {
    await client.query('ROLLBACK');
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

/** PostgreSQL for Kysely, read over the connections of a pool. */
export const readDialect = (pool: Lender, by: ReadBy): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new ReadDriver(pool, by),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});
