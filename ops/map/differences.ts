import type pg from 'pg';
import type { Measure, MeasureValues } from '../../contract/map/measures.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { changedBySuburb, hasSuburb } from '../../store/journal/between.ts';
import { basesOf, readablePublication } from '../../store/journal/journal.ts';
import { netChanges, type PublicationRange } from '../../store/journal/journal_range.ts';

/** Prefix of measures that count differing rows of a table by suburb. */
const PREFIX = 'changed_rows:';

const n = (count: number): string => count.toLocaleString('en-AU');
const words = (name: string): string => name.replaceAll('_', ' ');
const suburbTables: readonly Table[] = SERVING_TABLES.filter(hasSuburb);

/** True if a table got its first rows between two publications. */
async function isFirst(
  client: pg.ClientBase,
  table: Table,
  { after, upTo }: PublicationRange,
): Promise<boolean> {
  return (await basesOf(client, table.name, after + 1)).some((id) => id <= upTo);
}

/** Measure of suburbs by how much the estimates of their properties changed. */
export const ESTIMATE_CHANGE: Measure = {
  name: 'estimate_change',
  title: 'Median change of the estimate',
  unit: 'percent',
};

/** Median change, in percent, of the estimates of each suburb that differ between two publications. */
async function estimateChanges(client: pg.ClientBase, range: PublicationRange): Promise<ExplainedValues> {
  const table = SERVING_TABLES.find(({ name }) => name === 'property_avm') as Table;
  const { rows } = await client.query<{ area: string; value: number; sample: number }>(
    `SELECT sal AS area, percentile_cont(0.5) WITHIN GROUP (ORDER BY 100 * (price / was - 1))::float8 AS value, count(*)::int AS sample
     FROM (SELECT after ->> 'gnaf_pid' AS gnaf_pid, (before ->> 'predicted_price')::float8 AS was, (after ->> 'predicted_price')::float8 AS price
       FROM (${await netChanges(client, table, range)}) n) c JOIN serving.property USING (gnaf_pid)
     WHERE was > 0 AND price <> was AND sal IS NOT NULL GROUP BY sal ORDER BY sal COLLATE "C"`,
  );
  const changed = rows.reduce((sum, { sample }) => sum + sample, 0);
  return {
    values: rows,
    note: `Median of ${n(changed)} estimates that changed; the others are the same, or had no value in one publication.`,
  };
}

/** A table whose rows differ, as a measure of suburbs. `rows`: how many the publications in between changed, in all. */
export type ChangedMeasure = Measure & { isChange: true; rows: number };

/** Lists the tables whose rows differ between two publications, most rows first. Reads the control tables only. */
export async function changedMeasures(
  client: pg.ClientBase,
  { after, upTo }: PublicationRange,
): Promise<ChangedMeasure[]> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    `SELECT t ->> 'table' AS name, sum((t ->> 'inserted')::bigint + (t ->> 'updated')::bigint + (t ->> 'deleted')::bigint)::float8 AS rows FROM control.publication p, jsonb_array_elements(p.tables) t
     WHERE publication_id > $1 AND publication_id <= $2 GROUP BY 1
     HAVING sum((t ->> 'inserted')::bigint + (t ->> 'updated')::bigint + (t ->> 'deleted')::bigint) > 0 AND NOT bool_or(COALESCE((t ->> 'base')::bool, false))`,
    [after, upTo],
  );
  const differ = new Map(rows.map((row) => [row.name, row.rows]));
  return suburbTables
    .filter(({ name }) => differ.has(name))
    .map(({ name }) => ({
      name: PREFIX + name,
      title: `Changed rows of ${words(name)}`,
      unit: 'count' as const,
      isChange: true as const,
      rows: differ.get(name)!,
    }))
    .sort((a, b) => b.rows - a.rows);
}

/** Values of a measure, with a sentence about their source. */
export interface ExplainedValues {
  values: MeasureValues;
  note: string;
}

/**
 * Counts differing rows of a table by suburb, or measures how the estimates changed. Null: the name is not such a measure. @throws EtlError unknown_publication, journal_pruned
 */
export async function changedValues(
  client: pg.ClientBase,
  name: string,
  range: PublicationRange,
): Promise<ExplainedValues | null> {
  const isEstimate = name === ESTIMATE_CHANGE.name;
  const changes = isEstimate ? `${PREFIX}property_avm` : name;
  const table = suburbTables.find((each) => PREFIX + each.name === changes);
  if (table === undefined) return null;
  await readablePublication(client, range.after);
  if (await isFirst(client, table, range))
    return { values: [], note: 'The table got its first rows in between: all of it is new.' };
  if (isEstimate) return estimateChanges(client, range);
  const counts = await changedBySuburb(client, table, range);
  const values = counts.flatMap(({ sal, rows }) =>
    sal === null ? [] : [{ area: sal, value: rows, sample: rows }],
  );
  const elsewhere = counts.find(({ sal }) => sal === null)?.rows ?? 0;
  const note =
    elsewhere === 0 ? '' : `${n(elsewhere)} more are of no suburb, or of properties that are served no more.`;
  return { values, note };
}

/** Increase of a measure between two states, for suburbs with a value in both. */
export function measureIncrease(earlier: MeasureValues, later: MeasureValues): ExplainedValues {
  const before = new Map(earlier.map(({ area, value }) => [area, value]));
  const values = later.flatMap(({ area, value, sample }) => {
    const old = before.get(area);
    return old === undefined ? [] : [{ area, value: value - old, sample }];
  });
  const [gained, lost] = [later.length - values.length, earlier.length - values.length];
  const parts = [
    gained > 0 ? `${n(gained)} have a value now and had none.` : '',
    lost > 0 ? `${n(lost)} had a value and have none.` : '',
  ];
  return { values, note: parts.filter(Boolean).join(' ') };
}
