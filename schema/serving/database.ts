import type { Kysely } from 'kysely';
import type { Row } from '../table.ts';
import type { SERVING_TABLES, SERVING_VIEWS } from './index.ts';

/** Columns of the view serving.publication (store/control_ddl.ts) that the contract reads. @public part of the types of the contract package. */
export interface PublicationRow {
  publication_id: number;
  published_at: Date;
  kind: string;
  /** Publication that a rollback serves again. Null: not a rollback. */
  restores: number | null;
  reason: string | null;
  /** Whether its own state can still be read. */
  readable: boolean;
}

/** Columns of the view serving.change (store/control_ddl.ts). @public part of the types of the contract package. */
export interface ChangeRow {
  publication_id: number;
  table_name: string;
  /** Number of the change within a table and publication, in key order. */
  seq: number;
  /** insert, update, delete, or base: the first rows of the table, which are not listed. */
  change: string;
  key: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** A declared table or view of the schema serving. */
type ServingRelation = (typeof SERVING_TABLES)[number] | (typeof SERVING_VIEWS)[number];

/** The serving tables as typed for Kysely; names and row types come from the declarations. */
export type ServingDatabase = { [T in ServingRelation as `serving.${T['name']}`]: Row<T> } & {
  'serving.publication': PublicationRow;
  'serving.change': ChangeRow;
};

/** A connection that reads published data; the role api_reader is sufficient. */
export type Serving = Kysely<ServingDatabase>;
