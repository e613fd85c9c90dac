import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { type Publication, readPublication } from '../../store/journal/journal.ts';
import type { PublicationRange } from '../../store/journal/journal_range.ts';

/** The changed estimate of a property. */
export interface EstimateChange {
  gnaf_pid: string;
  /** Null: the property is no longer served. */
  address: string | null;
  /** Estimates, dollars. Null: no estimate. */
  before: number | null;
  after: number | null;
  /** Confidence of the estimate afterwards; if that did not change, as served now. Null: no estimate. */
  confidence: number | null;
  /** Comparable sales that it did not have before. */
  new_comparables: number;
}

/** What changed between two publications, and why. */
export interface ChangeSummary {
  /** Estimates whose value changed, those by less than `SMALL`, those that are new, and those that are gone. */
  changed: number;
  small: number;
  added: number;
  removed: number;
  /** Sales that arrived, by suburb, most first. Null: in no suburb. */
  sales: { suburb: string | null; n: number }[];
  /** Releases that were not loaded before. */
  releases: string[];
  /** Estimates that changed most, in dollars. */
  largest: EstimateChange[];
}

/** What a summary is limited to: a property, or a suburb. Null: neither. */
export interface SummaryScope {
  pid: string | null;
  suburb: string | null;
}

/** Relative change below which an estimate counts as nearly the same. */
const SMALL = 0.02;
const LARGEST = 10;

/** The state of each changed key before and after a range of publications, from the journal alone. */
const NET = `SELECT table_name, key, (array_agg(change ORDER BY publication_id))[1] <> 'insert' AS was_there,
    (array_agg(change ORDER BY publication_id DESC))[1] <> 'delete' AS is_there,
    control.overlay(before ORDER BY publication_id DESC) AS was, control.overlay(after ORDER BY publication_id) AS now
  FROM control.change WHERE publication_id > $1 AND publication_id <= $2`;

const ESTIMATES = `WITH net AS (${NET} AND table_name = 'property_avm' AND ($3::text IS NULL OR key = $3)
      AND ($4::text IS NULL OR key IN (SELECT gnaf_pid FROM serving.property WHERE sal = $4)) GROUP BY table_name, key),
    moved AS (SELECT key, before, after, confidence FROM net, LATERAL (SELECT
        CASE WHEN was_there THEN (was->>'predicted_price')::float8 END AS before,
        CASE WHEN is_there THEN (now->>'predicted_price')::float8 END AS after,
        (now->>'confidence')::float8 AS confidence) v WHERE before IS DISTINCT FROM after),
    largest AS (SELECT * FROM moved ORDER BY abs(after - before) DESC NULLS LAST, key LIMIT ${LARGEST})
  SELECT count(*) FILTER (WHERE before IS NOT NULL AND after IS NOT NULL)::int AS changed,
    count(*) FILTER (WHERE abs(after - before) < ${SMALL} * before)::int AS small,
    count(*) FILTER (WHERE before IS NULL)::int AS added, count(*) FILTER (WHERE after IS NULL)::int AS removed,
    (SELECT COALESCE(jsonb_agg(jsonb_build_object('gnaf_pid', l.key, 'address', p.address, 'before', l.before, 'after', l.after,
        'confidence', COALESCE(l.confidence, a.confidence), 'new_comparables', (SELECT count(*) FROM (${NET}
          AND table_name = 'property_comparable' AND key = l.key GROUP BY table_name, key) c,
          jsonb_array_elements_text(c.now->'sale_pids') sale WHERE NOT COALESCE(c.was->'sale_pids' ? sale, false)))
        ORDER BY abs(l.after - l.before) DESC NULLS LAST, l.key), '[]')
      FROM largest l LEFT JOIN serving.property p ON p.gnaf_pid = l.key LEFT JOIN serving.property_avm a ON a.gnaf_pid = l.key) AS largest
  FROM moved`;

const SALES = `SELECT after->>'sal' AS suburb, count(*)::int AS n FROM control.change
  WHERE publication_id > $1 AND publication_id <= $2 AND table_name = 'sale' AND change = 'insert'
    AND ($3::text IS NULL OR after->>'sal' = $3) GROUP BY 1 ORDER BY 2 DESC, 1`;

/** Lists the releases of a publication that an earlier one did not have. */
const newReleases = (earlier: Publication, { datasets }: Publication): string[] =>
  datasets
    .filter(
      (now) => !earlier.datasets.some((each) => each.dataset === now.dataset && each.release === now.release),
    )
    .map(({ dataset, release }) => `${dataset} ${release}`)
    .sort();

/**
 * Summarises what changed between two publications, from the journal. `suburb` of the scope limits sales too. The cost grows with the
 * changed estimates and sales. Null: `after` is 0, so everything is new, or the journal does not reach back to it. @throws EtlError unknown_publication
 */
export async function summariseChanges(
  client: pg.ClientBase,
  { after, upTo }: PublicationRange,
  { pid, suburb }: SummaryScope,
): Promise<ChangeSummary | null> {
  if (after === 0) return null;
  const [earlier, later] = [await readPublication(client, after), await readPublication(client, upTo)];
  if (!earlier.readable) return null;
  const estimates = await client.query<Omit<ChangeSummary, 'sales' | 'releases'>>(ESTIMATES, [
    after,
    upTo,
    pid,
    pid === null ? suburb : null,
  ]);
  const sales = await client.query<ChangeSummary['sales'][number]>(SALES, [after, upTo, suburb]);
  return { ...estimates.rows[0]!, sales: sales.rows, releases: newReleases(earlier, later) };
}

/** A publication whose changes are put into words. `tables`: its row counts; absent: not wanted. */
export type SummarisedPublication = Pick<Publication, 'publication_id' | 'kind' | 'restores' | 'reason'> &
  Partial<Pick<Publication, 'tables'>>;

/** Maximum releases to name. */
const RELEASES = 3;
const n = (value: number): string => value.toLocaleString('en-AU');
const countText = (value: number, one: string): string =>
  value === 1 ? `one ${one}` : `${n(value)} ${one}s`;

/** Says what led to the changes of a publication. */
function causeText(
  { kind, restores, reason }: SummarisedPublication,
  { sales, releases }: ChangeSummary,
): string {
  if (kind === 'rollback') return `because publication ${restores} was restored: ${reason ?? ''}`;
  const arrived = sales.reduce((sum, each) => sum + each.n, 0);
  const where = sales[0]?.suburb ?? null;
  const inSuburb = where === null ? '' : sales.length === 1 ? ` in ${where}` : `, most of them in ${where}`;
  const moreText = releases.length > RELEASES ? ` and ${releases.length - RELEASES} more` : '';
  const causes = [
    ...(arrived > 0 ? [`${countText(arrived, 'sale')} arrived${inSuburb}`] : []),
    ...(releases.length > 0 ? [`${releases.slice(0, RELEASES).join(', ')}${moreText} arrived`] : []),
  ];
  return causes.length > 0
    ? `because ${causes.join(', and ')}`
    : 'because of the program, its settings or the passing of time';
}

/** Says how many estimates a publication changed, and why. `summary` null: it is the first, or the journal does not reach back. */
export function summaryText(publication: SummarisedPublication, summary: ChangeSummary | null): string {
  const { publication_id, tables = [] } = publication;
  if (summary === null)
    return publication_id === 1
      ? 'Publication 1 is the first: everything in it is new.'
      : `What publication ${publication_id} changed is no longer kept.`;
  const { changed, small, added, removed } = summary;
  const ofThem = changed > 1 ? `, ${n(small)} of them by less than ${100 * SMALL} %` : '';
  const parts = [
    ...(changed > 0 ? [`changed ${countText(changed, 'estimate')}${ofThem}`] : []),
    ...(added > 0 ? [`added ${countText(added, 'estimate')}`] : []),
    ...(removed > 0 ? [`removed ${countText(removed, 'estimate')}`] : []),
  ];
  const rows = tables.reduce((sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted, 0);
  if (parts.length === 0 && rows === 0) return `Publication ${publication_id} changed no estimate.`;
  const effect =
    parts.length > 0
      ? parts.join(', ')
      : `changed no estimate, but ${countText(rows, 'row')} of other tables`;
  return `Publication ${publication_id} ${effect}, ${causeText(publication, summary)}.`;
}

/** Rows of a table that a rollback changes. */
interface TableCounts {
  table: string;
  inserted: number;
  updated: number;
  deleted: number;
}

/** What a rollback to an earlier publication would change. */
export interface RollbackPreview {
  target: Publication;
  /** The served publication. */
  from: Publication;
  /** Tables with changes, most first. */
  tables: TableCounts[];
  /** Properties with a changed row. */
  properties: number;
  /** Tables that got their first rows since: all of them go. */
  emptied: string[];
  summary: ChangeSummary;
}

const COUNTS = `WITH net AS (${NET} GROUP BY table_name, key),
    differing AS MATERIALIZED (SELECT table_name, key, was_there, is_there FROM net
      WHERE (was_there OR is_there) AND NOT (was_there AND is_there AND was = now))
  SELECT table_name AS table, count(*) FILTER (WHERE NOT is_there)::int AS inserted,
    count(*) FILTER (WHERE was_there AND is_there)::int AS updated, count(*) FILTER (WHERE NOT was_there)::int AS deleted,
    (SELECT count(*) FROM (SELECT DISTINCT split_part(key, '|', 1) FROM differing WHERE table_name = ANY ($3)) p)::int AS properties
  FROM differing GROUP BY 1 ORDER BY count(*) DESC, 1`;

/** Previews a rollback from the journal between two publications; no table is built. */
export async function previewRollback(
  client: pg.ClientBase,
  target: Publication,
  from: Publication,
  all: readonly Table[] = SERVING_TABLES,
): Promise<RollbackPreview> {
  const [after, upTo] = [target.publication_id, from.publication_id];
  const ofProperty = all.filter(({ primaryKey }) => primaryKey[0] === 'gnaf_pid').map(({ name }) => name);
  const { rows } = await client.query<TableCounts & { properties: number }>(COUNTS, [
    after,
    upTo,
    ofProperty,
  ]);
  const bases = await client.query<{ name: string }>(
    `SELECT DISTINCT t->>'table' AS name FROM control.publication, jsonb_array_elements(tables) t
     WHERE publication_id > $1 AND (t->>'base')::bool ORDER BY 1`,
    [after],
  );
  return {
    target,
    from,
    tables: rows.map(({ properties: _, ...counts }) => counts),
    properties: rows[0]?.properties ?? 0,
    emptied: bases.rows.map(({ name }) => name),
    summary: (await summariseChanges(client, { after, upTo }, { pid: null, suburb: null }))!,
  };
}
