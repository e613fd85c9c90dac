import { Kysely, PostgresDialect } from 'kysely';
import type { Serving } from '../schema/read_contract/database.ts';
import { openPool } from './database.ts';

/** Opens the serving tables for reading. Closing is the caller's: `destroy()`. */
export function openServing(url: string, connections = 1): Serving {
  return new Kysely({ dialect: new PostgresDialect({ pool: openPool(url, connections) }) });
}
