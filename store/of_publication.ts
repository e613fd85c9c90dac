import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  RootOperationNode,
} from 'kysely';
import type { Serving } from '../schema/serving/database.ts';
import type { Found } from './prepared_read.ts';

/**
 * A statement that says of which publication its rows are, in two columns before theirs: the publication that is served, and whether the
 * row is one of those that were asked for. Both are seen in the one snapshot of the statement. Where it finds no row there is one that says
 * so much; one row joined to others leaves them in their order.
 */
export const labelled = (text: string): string =>
  `SELECT served.*, answer.* FROM (SELECT max(publication_id) FROM serving.publication) AS served
   LEFT JOIN (SELECT true, asked.* FROM (${text}) AS asked) AS answer ON true`;

/** Hears what labelled statements say. */
class Listener implements KyselyPlugin {
  readonly publications = new Set<number | null>();

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    const { publication } = result as unknown as Found;
    if (publication === undefined) throw new Error('a statement does not say of which publication it is');
    this.publications.add(publication);
    return result;
  }
}

/** What was read, and the publications that it is of: none where nothing was asked, several where one came in between. */
export interface ReadOf<T> {
  value: T;
  publications: ReadonlySet<number | null>;
}

/** Reads by labelled statements. A publication is null where nothing is published. */
export async function readOf<T>(db: Serving, read: (db: Serving) => Promise<T>): Promise<ReadOf<T>> {
  const listener = new Listener();
  const value = await read(db.withPlugin(listener));
  return { value, publications: listener.publications };
}

/** The same in one snapshot, so that it is of one publication whatever comes in between. */
export const readSnapshot = <T>(db: Serving, read: (db: Serving) => Promise<T>): Promise<ReadOf<T>> =>
  readOf(db, (on) => on.transaction().setIsolationLevel('repeatable read').execute(read));
