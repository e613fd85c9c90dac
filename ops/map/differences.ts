import type pg from 'pg';
import type { Measure, MeasureValues } from '../../contract/map/measures.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { changedBySuburb, hasSuburb } from '../../store/journal/between.ts';
import { basesOf, readablePublication } from '../../store/journal/journal.ts';
import type { PublicationRange } from '../../store/journal/journal_range.ts';

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
 * Counts differing rows of a table by suburb. Null: the name is not such a measure. @throws EtlError unknown_publication, journal_pruned
 */
export async function changedValues(
  client: pg.ClientBase,
  name: string,
  range: PublicationRange,
): Promise<ExplainedValues | null> {
  const table = suburbTables.find((each) => PREFIX + each.name === name);
  if (table === undefined) return null;
  await readablePublication(client, range.after);
  if (await isFirst(client, table, range))
    return { values: [], note: 'The table got its first rows in between: all of it is new.' };
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
export function measureIncrease(was: MeasureValues, is: MeasureValues): ExplainedValues {
  const before = new Map(was.map(({ area, value }) => [area, value]));
  const values = is.flatMap(({ area, value, sample }) => {
    const old = before.get(area);
    return old === undefined ? [] : [{ area, value: value - old, sample }];
  });
  const [gained, lost] = [is.length - values.length, was.length - values.length];
  const parts = [
    gained > 0 ? `${n(gained)} have a value now and had none.` : '',
    lost > 0 ? `${n(lost)} had a value and have none.` : '',
  ];
  return { values, note: parts.filter(Boolean).join(' ') };
}
