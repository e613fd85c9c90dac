import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { columnsOf } from './differences.ts';

/** One line of the serving digest. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/**
 * Computes the order-independent digest of a serving table: two sums, modulo 2^64, of halves of the SHA-256 of each row's text form. The
 * text form of every column type used is the same on every PostgreSQL from 14 on, so servers can be compared. `schema` is another schema
 * with a table or view of that name.
 */
export async function digestTable(
  client: pg.ClientBase,
  table: Table,
  schema: string = table.schema,
): Promise<TableDigest> {
  const halfHash = (from: number): string =>
    `mod(sum(('x' || encode(substr(h, ${from}, 8), 'hex'))::bit(64)::bigint::numeric + 9223372036854775808), 18446744073709551616)`;
  const { rows } = await client.query<{ n: string; a: string | null; b: string | null }>(
    `SELECT count(*) AS n, ${halfHash(1)} AS a, ${halfHash(9)} AS b
     FROM (SELECT sha256(convert_to(ROW(${columnsOf(table)})::text, 'UTF8')) AS h FROM ${qualified(table, schema)}) t`,
  );
  const hex = (value: string | null): string =>
    BigInt(value ?? 0)
      .toString(16)
      .padStart(16, '0');
  return { table: table.name, rows: Number(rows[0]!.n), digest: hex(rows[0]!.a) + hex(rows[0]!.b) };
}
