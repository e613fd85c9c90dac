import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { Serving, ServingDatabase } from '../../schema/serving/database.ts';
import { gather } from '../system/gather.ts';

/** Queries of one text, as a statement: `$n` where all have the same value, and a column of `each` where they differ. */
class Together extends PostgresQueryCompiler {
  readonly #differing: ReadonlyMap<number, string>;
  #place = 0;

  /** `differing`: names of columns by the place of the value. */
  constructor(differing: ReadonlyMap<number, string>) {
    super();
    this.#differing = differing;
  }

  protected override appendValue(value: unknown): void {
    const column = this.#differing.get(this.#place++);
    if (column === undefined) super.appendValue(value);
    else this.append(`each.${column}`);
  }
}

type Asked = CompiledQuery;
type Rows = Record<string, unknown>[];

/** Most texts whose types are remembered. */
const MOST_TYPES = 2000;

/** Types of the values of queries by their text, as the server infers them. */
const TYPES = new Map<string, readonly string[]>();

async function typesOf(client: pg.ClientBase, { sql }: Asked): Promise<readonly string[]> {
  const known = TYPES.get(sql);
  if (known !== undefined) return known;
  await client.query(`PREPARE asked_together AS ${sql}`);
  const { rows } = await client.query<{ types: string[] }>(
    `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'asked_together'`,
  );
  await client.query('DEALLOCATE asked_together');
  if (TYPES.size >= MOST_TYPES) TYPES.clear();
  TYPES.set(sql, rows[0]!.types);
  return rows[0]!.types;
}

/** Places at which queries of one text have different values. */
const differingPlaces = ([first, ...others]: readonly Asked[]): number[] =>
  first!.parameters.flatMap((value, place) =>
    others.every(({ parameters }) => parameters[place] === value) ? [] : [place],
  );

const isList = (value: unknown): boolean => Array.isArray(value);

/** The rows of queries of one text. */
async function rowsOf(client: pg.ClientBase, asked: readonly Asked[]): Promise<Rows[]> {
  const [first] = asked as readonly [Asked];
  const alone = async (each: Asked): Promise<Rows> =>
    (await client.query({ text: each.sql, values: [...each.parameters] })).rows;
  const places = differingPlaces(asked);
  if (places.length === 0) {
    const rows = await alone(first);
    return asked.map(() => rows.map((row) => ({ ...row })));
  }
  // Lists in a list would be taken for one long list.
  if (places.some((place) => isList(first.parameters[place]))) {
    const all: Rows[] = [];
    for (const each of asked) all.push(await alone(each));
    return all;
  }
  const types = await typesOf(client, first);
  const names = places.map((place) => `v${place}`);
  const together = new Together(new Map(places.map((place, i) => [place, names[i]!]))).compileQuery(
    first.query,
    first.queryId,
  );
  const values: unknown[] = [...together.parameters];
  const columns = places.map((place) => {
    values.push(asked.map(({ parameters }) => parameters[place]));
    return `$${values.length}::${types[place]}[]`;
  });
  const { rows } = await client.query<Record<string, unknown> & { asked_no: number }>({
    text: `SELECT each.asked_no::int, found.* FROM unnest(${columns.join(', ')}) WITH ORDINALITY AS each (${names.join(', ')}, asked_no)
     CROSS JOIN LATERAL (SELECT row_number() OVER () AS found_no, asked.* FROM (${together.sql}) asked) found ORDER BY each.asked_no, found.found_no`,
    values,
  });
  const all: Rows[] = asked.map(() => []);
  for (const { asked_no, found_no: _, ...row } of rows) all[asked_no - 1]!.push(row);
  return all;
}

/** Answers queries by statements, one for those of each text. */
async function answer(client: pg.ClientBase, asked: readonly Asked[]): Promise<Rows[]> {
  const byText = new Map<string, number[]>();
  for (const [i, { sql }] of asked.entries()) {
    const known = byText.get(sql);
    if (known) known.push(i);
    else byText.set(sql, [i]);
  }
  const all: Rows[] = [];
  for (const places of byText.values()) {
    const found = await rowsOf(
      client,
      places.map((i) => asked[i]!),
    );
    for (const [k, i] of places.entries()) all[i] = found[k]!;
  }
  return all;
}

/**
 * The serving tables on one client, for the same questions about many subjects at once: queries that differ in their values alone and are
 * asked in the same turn go out as one statement, which joins the values with the query. Each has the rows that it would have by itself.
 */
export function servingTogether(client: pg.ClientBase, plugins: KyselyPlugin[] = []): Serving {
  const one = gather<Asked, Rows>((asked) => answer(client, asked), Number.POSITIVE_INFINITY);
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => ({
      rows: (await one(query)) as R[],
    }),
    streamQuery() {
      throw new Error('Nothing is streamed here.');
    },
  };
  const nothing = async (): Promise<void> => undefined;
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    destroy: nothing,
  };
  return new Kysely<ServingDatabase>({
    plugins,
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  });
}
