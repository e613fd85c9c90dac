import type { Kysely } from 'kysely';
import type { Row } from '../table.ts';
import type { SERVING_TABLES, SERVING_VIEWS } from './index.ts';

/** The view serving.publication (store/control_ddl.ts), as far as the contract reads it. */
export interface PublicationRow {
  publication_id: number;
  published_at: Date;
  kind: string;
  /** Publication that a rollback serves again; null: it is no rollback. */
  restores: number | null;
  reason: string | null;
  /** Whether it can still be read as of itself. */
  readable: boolean;
}

/** A declared table or view of the schema serving. */
type Served = (typeof SERVING_TABLES)[number] | (typeof SERVING_VIEWS)[number];

/** The serving tables as Kysely sees them; names and row types come from the declarations. */
export type ServingDatabase = { [T in Served as `serving.${T['name']}`]: Row<T> } & {
  'serving.publication': PublicationRow;
};

/** A connection that reads what is published; the role api_reader is enough for it. */
export type Serving = Kysely<ServingDatabase>;
