import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { ident } from '../../schema/ddl.ts';
import { type Audit, modelTable } from '../../schema/model.ts';
import { isOutdated, rebuildServing } from '../../store/declared_tables.ts';
import { createQueryView, runForeignQuery } from '../engine/foreign_query.ts';
import type { AuditCheck } from '../report/report.ts';
import { type Acceptance, judge, numberText } from './gates.ts';

export const auditGate = (name: string): string => `audit:${name}`;
/** Returns the gate name of a model whose file is missing. */
export const modelGate = (table: string): string => `model:${table}`;

/** View name of an audit's query. */
const VIEW = ident('audit_query');
/** Maximum rows in the message of an audit. */
const SHOWN = 3;

/** Runs an audit on the serving tables about to be published. Returns a sentence; null: the query returned no row. */
async function findingOf(
  client: pg.ClientBase,
  role: string,
  { file, sql, timeout_s }: Audit,
): Promise<string | null> {
  await client.query('SAVEPOINT audit');
  try {
    const foreignQuery = { file, role, timeout_s };
    await createQueryView(client, foreignQuery, VIEW, sql);
    const [found] = await runForeignQuery<{ rows: number; examples: unknown[] | null }>(
      client,
      foreignQuery,
      `SELECT count(*)::int AS rows, (array_agg(row))[1:${SHOWN}] AS examples FROM (SELECT to_jsonb(found.*) AS row FROM pg_temp.${VIEW} found) found`,
    );
    await runForeignQuery(client, foreignQuery, `DROP VIEW pg_temp.${VIEW}`);
    await client.query('RELEASE SAVEPOINT audit');
    if (found!.rows === 0) return null;
    const examples = found!.examples!.map((row) => JSON.stringify(row)).join('; ');
    return `${numberText(found!.rows)} rows, for example ${examples}.`;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT audit');
    return `the audit failed to run: ${(error as Error).message}`;
  }
}

/** Runs the operator's audits on the rows about to be published, as the readers' role. */
export async function auditChecks(
  client: pg.ClientBase,
  { audits, database }: Config,
  accepted: Acceptance,
): Promise<AuditCheck[]> {
  const checks: AuditCheck[] = [];
  for (const audit of audits) {
    const finding = await findingOf(client, database.api_role, audit);
    const message = `${audit.doc.replace(/\.?\s*$/, '')}: ${finding ?? 'no rows found.'}`;
    const check = judge(auditGate(audit.name), audit.name, finding === null, message, accepted);
    const isWarning = audit.level === 'warning' && check.status === 'fail';
    checks.push(isWarning ? { ...check, status: 'warning' } : check);
  }
  return checks;
}

const MODEL = 'model:';

/** Returns gates for published models whose file is missing. Accepting such a gate removes the table. */
export async function goneModels(
  client: pg.ClientBase,
  { models }: Config,
  accepted: Acceptance,
): Promise<AuditCheck[]> {
  const { rows } = await client.query<{ name: string; file: string }>(
    `SELECT substr(key, ${MODEL.length + 1}) AS name, value AS file FROM control.meta WHERE starts_with(key, $1)
       AND substr(key, ${MODEL.length + 1}) <> ALL ($2) ORDER BY 1`,
    [MODEL, models.map(({ table }) => table)],
  );
  return rows.map(({ name, file }) =>
    judge(
      modelGate(name),
      name,
      false,
      `${file}, which made serving.${name}, is missing. Restore it, or accept this gate to remove the table.`,
      accepted,
    ),
  );
}

/**
 * Rebuilds the tables of models whose columns, types or keys changed, in the transaction of the publication. Accepting the gate publishes
 * the rebuilt table. A table that was never published needs no gate.
 */
export async function rebuildModels(
  client: pg.ClientBase,
  { models, database }: Config,
  accepted: Acceptance,
  tables: ReadonlySet<string> | null,
): Promise<AuditCheck[]> {
  const checks: AuditCheck[] = [];
  for (const model of models) {
    const table = modelTable(model);
    if (!(tables?.has(table.name) ?? true) || !(await isOutdated(client, table))) continue;
    await rebuildServing(client, table, database.api_role);
    const published = await client.query('SELECT FROM control.meta WHERE key = $1', [MODEL + table.name]);
    if (published.rowCount === 0) continue;
    const message = `${model.file} has other columns, types or keys than serving.${table.name}. Accept this gate to rebuild the table; its journal starts again.`;
    checks.push(judge(modelGate(table.name), table.name, false, message, accepted));
  }
  return checks;
}

/** Records the published models, and drops the tables of models whose removal was accepted. */
export async function recordModels(
  client: pg.ClientBase,
  { models }: Config,
  removedTables: readonly AuditCheck[],
): Promise<void> {
  for (const { table: name } of removedTables) {
    await client.query(`DROP TABLE serving.${ident(name)}, staged.${ident(name)}`);
    await client.query('DELETE FROM control.change WHERE table_name = $1', [name]);
    await client.query('DELETE FROM control.published WHERE table_name = $1', [name]);
    await client.query('DELETE FROM control.meta WHERE key = ANY ($1)', [
      [
        `${MODEL}${name}`,
        ...['serving', 'staged'].flatMap((s) => [`table:${s}.${name}`, `docs:${s}.${name}`]),
      ],
    ]);
  }
  for (const { table, file } of models)
    await client.query(
      'INSERT INTO control.meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [MODEL + table, file],
    );
}
