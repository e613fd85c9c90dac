import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { jsonText } from '../json_text.ts';
import { outdatedRows } from '../tables/table_rows.ts';
import { columnsOf, differencesOf, keyRecord, keyText, sameKey } from './differences.ts';
import type { JournalChange } from './journal.ts';
import { numericColumns } from './table_facts.ts';

/** Returns SQL for how much a number changed, relative to the larger of both values. Null: equal, or null on a side. */
const changedShare = (name: string): string =>
  `abs(o.${ident(name)}::float8 - n.${ident(name)}) / NULLIF(greatest(abs(o.${ident(name)}::float8), abs(n.${ident(name)})), 0)`;

/** Returns the query of the staged rows of a table. */
export const stagedRows = (table: Table): string =>
  `SELECT ${columnsOf(table)} FROM ${qualified(table, 'staged')}`;

/**
 * Builds the query of the keys of updated rows with the largest change of a number. It reads only keys and numbers, so that the server
 * joins millions of rows in parallel. A served row with a staged key is one that the staged row replaces.
 */
function largestMoves(table: Table, limit: number): string {
  const numbers = numericColumns(table);
  const row = (alias: string): string =>
    `ROW(${numbers.map((name) => `${alias}.${ident(name)}`).join(', ')})`;
  return `SELECT ${table.primaryKey.map((name) => `m.${ident(name)}`).join(', ')}
    FROM (SELECT ${table.primaryKey.map((name) => `n.${ident(name)}`).join(', ')}, greatest(${numbers.map(changedShare).join(', ')}) AS share
      FROM ${qualified(table)} o JOIN ${qualified(table, 'staged')} n ON ${sameKey(table, 'o', 'n')}
      WHERE ${row('o')} IS DISTINCT FROM ${row('n')}) m
    WHERE share IS NOT NULL ORDER BY share DESC, ${keyText(table, 'm')} COLLATE "C" LIMIT ${limit}`;
}

/** Builds the query of the keys of changed rows in the order of their keys. */
const firstChanges = (table: Table, limit: number): string => {
  const key = table.primaryKey.map(
    (name) => `COALESCE(o.${ident(name)}, n.${ident(name)}) AS ${ident(name)}`,
  );
  return `SELECT * FROM (SELECT ${key.join(', ')} FROM (${outdatedRows(table)}) o FULL JOIN ${qualified(table, 'staged')} n ON ${sameKey(table, 'o', 'n')}
      WHERE ROW(${columnsOf(table, 'o.')}) IS DISTINCT FROM ROW(${columnsOf(table, 'n.')})) c
    ORDER BY ${keyText(table, 'c')} COLLATE "C" LIMIT ${limit}`;
};

type Key = Record<string, unknown>;

/**
 * Reads the largest differences between the served and the staged rows of a table: first those whose most changed number changed most,
 * relative to itself, then others in the order of their keys.
 */
export async function largestDifferences(
  client: pg.ClientBase,
  table: Table,
  limit: number,
): Promise<Pick<JournalChange, 'change' | 'key' | 'before' | 'after'>[]> {
  const keysOf = async (query: string): Promise<Key[]> => (await client.query<Key>(query)).rows;
  const keys = numericColumns(table).length === 0 ? [] : await keysOf(largestMoves(table, limit));
  if (keys.length < limit) {
    const rankedKeys = new Set(keys.map((key) => JSON.stringify(key)));
    const others = await keysOf(firstChanges(table, limit + keys.length));
    keys.push(...others.filter((key) => !rankedKeys.has(JSON.stringify(key))).slice(0, limit - keys.length));
  }
  const withKey = (rows: string): string =>
    `SELECT ${columnsOf(table, 'r.')} FROM (${rows}) r JOIN listed l ON ${sameKey(table, 'r', 'l')}`;
  const { rows } = await client.query<Pick<JournalChange, 'change' | 'key' | 'before' | 'after'>>(
    `WITH listed AS (SELECT l.* FROM ROWS FROM (jsonb_to_recordset($1) AS (${keyRecord(table)})) WITH ORDINALITY l (${[...table.primaryKey, 'place'].map(ident).join(', ')}))
     SELECT change, ${keyText(table, 'd')} AS key, before, after
     FROM (${differencesOf(table, withKey(outdatedRows(table)), withKey(stagedRows(table)))}) d JOIN listed l ON ${sameKey(table, 'd', 'l')}
     ORDER BY l.place`,
    [jsonText(keys)],
  );
  return rows;
}
