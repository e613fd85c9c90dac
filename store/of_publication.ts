import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  RootOperationNode,
} from 'kysely';
import type pg from 'pg';
import type { Serving } from '../schema/serving/database.ts';
import type { Lender } from './sharing.ts';

/** Columns beside those that were asked for: the publication that is served, and whether the row is one of those that were asked for. */
const PUBLICATION = '$publication';
const FOUND = '$found';

/**
 * A statement that says of which publication its rows are: both are seen in the one snapshot of the statement. Where it finds no row there
 * is one that says so much. One row joined to others leaves them in their order.
 */
const labelled = (text: string): string =>
  `SELECT answer.*, served.* FROM (SELECT max(publication_id) AS "${PUBLICATION}" FROM serving.publication) AS served
   LEFT JOIN (SELECT true AS "${FOUND}", asked.* FROM (${text}) AS asked) AS answer ON true`;

const READS = /^\s*(select|with)\b/i;

/** The same connections, on which whatever reads says of which publication its rows are. To be read by `readOf` alone. */
export function labelling(pool: Lender): Lender {
  const facades = new WeakMap<pg.PoolClient, pg.PoolClient>();
  const facadeOf = (client: pg.PoolClient): pg.PoolClient =>
    Object.assign(Object.create(client) as pg.PoolClient, {
      query: (text: string, values?: unknown[]) =>
        client.query(READS.test(text) ? labelled(text) : text, values),
      release: (error?: Error | boolean) => client.release(error),
    });
  return {
    async connect() {
      const client = await pool.connect();
      const facade = facades.get(client) ?? facadeOf(client);
      facades.set(client, facade);
      return facade;
    },
    end: () => pool.end(),
  };
}

type Labelled = Record<string, unknown> & { [PUBLICATION]: number | null; [FOUND]: true | null };

/** Takes the labels off the rows, and keeps what they said. */
class Labels implements KyselyPlugin {
  readonly publications = new Set<number | null>();

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    const rows = result.rows as Labelled[];
    // A statement without a label fails here: it has no such row.
    const first = rows[0]!;
    this.publications.add(first[PUBLICATION]);
    if (first[FOUND] === null) return { ...result, rows: [] };
    return { ...result, rows: rows.map(({ [PUBLICATION]: _, [FOUND]: __, ...row }) => row) };
  }
}

/** What was read, and the publications that it is of: none where nothing was asked, several where one came in between. */
export interface ReadOf<T> {
  value: T;
  publications: ReadonlySet<number | null>;
}

/** Reads through connections of `labelling`. A publication is null where nothing is published. */
export async function readOf<T>(db: Serving, read: (db: Serving) => Promise<T>): Promise<ReadOf<T>> {
  const labels = new Labels();
  const value = await read(db.withPlugin(labels));
  return { value, publications: labels.publications };
}

/** The same in one snapshot, so that it is of one publication whatever comes in between. */
export const readSnapshot = <T>(db: Serving, read: (db: Serving) => Promise<T>): Promise<ReadOf<T>> =>
  readOf(db, (labelled) => labelled.transaction().setIsolationLevel('repeatable read').execute(read));
