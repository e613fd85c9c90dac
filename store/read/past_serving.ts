import {
  CommonTableExpressionNameNode,
  CommonTableExpressionNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  RawNode,
  type RootOperationNode,
  SchemableIdentifierNode,
  type SelectQueryNode,
  WithNode,
} from 'kysely';
import type pg from 'pg';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { tableAsOf } from '../journal/as_of.ts';
import { changedTables, readablePublication } from '../journal/journal.ts';
import { inSnapshot } from '../transaction.ts';
import { servingOnClient } from './serving.ts';

/** Queries of the relations of the schema serving that differ from their present state, by name. */
type PastQueries = ReadonlyMap<string, string>;

/** Names the past relations of a query without their schema, and lists them. */
class PastNames extends OperationNodeTransformer {
  readonly used = new Set<string>();
  readonly #queries: PastQueries;

  constructor(queries: PastQueries) {
    super();
    this.#queries = queries;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    const transformed = super.transformSchemableIdentifier(node);
    const { schema, identifier } = transformed;
    if (schema?.name !== 'serving' || !this.#queries.has(identifier.name)) return transformed;
    this.used.add(identifier.name);
    return SchemableIdentifierNode.create(identifier.name);
  }
}

/** Puts the queries of the past relations that a query reads before it, as common table expressions that PostgreSQL expands in place. */
function withPast(node: RootOperationNode, queries: PastQueries): RootOperationNode {
  const names = new PastNames(queries);
  const renamed = names.transformNode(node);
  if (names.used.size === 0) return renamed;
  if (renamed.kind !== 'SelectQueryNode')
    throw new TypeError(`A read of the past is a SELECT, not a ${renamed.kind}.`);
  const past = [...names.used].map((name) => ({
    ...CommonTableExpressionNode.create(
      CommonTableExpressionNameNode.create(name),
      RawNode.createWithSql(`(${queries.get(name)!})`),
    ),
    materialized: false,
  }));
  const ownWith = (renamed as SelectQueryNode).with;
  const [first, ...rest] = [...past, ...(ownWith?.expressions ?? [])];
  const all = rest.reduce(
    (node, each) => WithNode.cloneWithExpression(node, each),
    WithNode.create(first!, { recursive: ownWith?.recursive ?? false }),
  );
  return { ...(renamed as SelectQueryNode), with: all };
}

/** Builds the queries of the relations that changed after a publication. @throws EtlError unknown_publication, journal_pruned */
async function pastQueries(client: pg.ClientBase, publication: number): Promise<PastQueries> {
  await readablePublication(client, publication);
  const changed = await changedTables(client, publication);
  const tables = SERVING_TABLES.filter(({ name }) => changed.has(name)).map(
    (table) => [table.name, tableAsOf(table, publication, changed.get(table.name))] as const,
  );
  const journal = ['publication', 'change'].map(
    (name) => [name, `SELECT * FROM serving.${name} WHERE publication_id <= ${publication}`] as const,
  );
  return new Map([...tables, ...journal]);
}

/**
 * Reads the serving tables as they were at a publication, in one snapshot. What a query reads by primary key costs as much as the later
 * changes of those rows. The client must not be in a transaction. @throws EtlError unknown_publication, journal_pruned
 */
export async function readAsOf<T>(
  client: pg.ClientBase,
  publication: number,
  readPast: (db: Serving) => Promise<T>,
): Promise<T> {
  return inSnapshot(client, async () => {
    const queries = await pastQueries(client, publication);
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => withPast(node, queries),
      transformResult: async ({ result }) => result,
    };
    return readPast(servingOnClient(client, [plugin]));
  });
}
