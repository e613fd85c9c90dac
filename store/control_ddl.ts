/**
 * The first control tables: runs, loads, partitions, rejects, publications. Every statement creates only what is missing, so it is safe to
 * repeat.
 */
const BOOKS: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS control',
  'CREATE SCHEMA IF NOT EXISTS record',
  'CREATE SCHEMA IF NOT EXISTS asset',
  'CREATE SCHEMA IF NOT EXISTS staged',
  'CREATE SCHEMA IF NOT EXISTS serving',
  `CREATE TABLE IF NOT EXISTS control.meta (key text PRIMARY KEY, value text NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS control.run (
    run_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    command text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'published', 'unchanged', 'held', 'failed', 'refused')),
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    report jsonb)`,
  `CREATE TABLE IF NOT EXISTS control.file_digest (
    path text PRIMARY KEY, bytes bigint NOT NULL, mtime_ms float8 NOT NULL, inode bigint NOT NULL, sha256 text NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS control.load (
    load_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dataset text NOT NULL,
    part text NOT NULL,
    adapter text NOT NULL,
    release text NOT NULL,
    fingerprint text NOT NULL,
    state text NOT NULL CHECK (state IN ('loading', 'loaded', 'active')),
    run_id int NOT NULL REFERENCES control.run,
    crs jsonb NOT NULL,
    files jsonb NOT NULL,
    accounts jsonb NOT NULL DEFAULT '[]',
    notes jsonb NOT NULL DEFAULT '[]',
    loaded_at timestamptz)`,
  'ALTER TABLE control.load ADD COLUMN IF NOT EXISTS part_fingerprint text',
  `CREATE TABLE IF NOT EXISTS control.load_digest (
    load_id int NOT NULL REFERENCES control.load ON DELETE CASCADE,
    table_name text NOT NULL,
    cell int NOT NULL,
    rows int NOT NULL,
    digest numeric NOT NULL,
    extent float8[],
    PRIMARY KEY (load_id, table_name, cell))`,
  `CREATE TABLE IF NOT EXISTS control.partition (
    stage text NOT NULL,
    cell int NOT NULL,
    fingerprint jsonb NOT NULL,
    output_digest numeric NOT NULL,
    rows int NOT NULL,
    refs int[] NOT NULL,
    account jsonb NOT NULL,
    staged bool NOT NULL,
    run_id int NOT NULL REFERENCES control.run,
    computed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stage, cell))`,
  `CREATE TABLE IF NOT EXISTS control.home (
    stage text NOT NULL,
    cell int NOT NULL,
    home int NOT NULL,
    rows int NOT NULL,
    digest numeric NOT NULL,
    PRIMARY KEY (stage, cell, home),
    FOREIGN KEY (stage, cell) REFERENCES control.partition ON DELETE CASCADE)`,
  `CREATE TABLE IF NOT EXISTS control.reject (
    load_id int REFERENCES control.load ON DELETE CASCADE,
    stage text,
    cell int,
    code text NOT NULL,
    file text NOT NULL,
    at text NOT NULL,
    message text NOT NULL,
    CHECK (load_id IS NOT NULL OR (stage IS NOT NULL AND cell IS NOT NULL)))`,
  'CREATE INDEX IF NOT EXISTS reject_load ON control.reject (load_id)',
  'CREATE INDEX IF NOT EXISTS reject_stage ON control.reject (stage, cell)',
  `CREATE TABLE IF NOT EXISTS control.publication (
    publication_id int PRIMARY KEY,
    run_id int NOT NULL REFERENCES control.run,
    published_at timestamptz NOT NULL DEFAULT now(),
    tables jsonb NOT NULL,
    datasets jsonb NOT NULL,
    audit jsonb NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS control.published (
    table_name text NOT NULL,
    cell int NOT NULL,
    digest numeric NOT NULL,
    rows int NOT NULL,
    PRIMARY KEY (table_name, cell))`,
  `CREATE TABLE IF NOT EXISTS control.change (
    publication_id int NOT NULL REFERENCES control.publication,
    table_name text NOT NULL,
    seq int NOT NULL,
    change text NOT NULL CHECK (change IN ('insert', 'update', 'delete')),
    key text COLLATE "C" NOT NULL,
    before jsonb,
    after jsonb,
    PRIMARY KEY (publication_id, table_name, seq))`,
  'CREATE INDEX IF NOT EXISTS change_key ON control.change (table_name, key)',
];

/**
 * Kinds of publications and rollback: which publication one restores and why, whether computed rows are held back behind it, whether its
 * journal is pruned. Also partitions to recompute whatever their fingerprint, and the journal for the API.
 */
const JOURNAL: readonly string[] = [
  `ALTER TABLE control.publication
    ADD COLUMN kind text NOT NULL DEFAULT 'refresh' CHECK (kind IN ('refresh', 'backfill', 'rollback')),
    ADD COLUMN restores int,
    ADD COLUMN reason text,
    ADD COLUMN held bool NOT NULL DEFAULT false,
    ADD COLUMN pruned bool NOT NULL DEFAULT false`,
  `ALTER TABLE control.partition ADD COLUMN reason text NOT NULL DEFAULT ''`,
  `CREATE TABLE control.forced (
    stage text NOT NULL,
    cell int NOT NULL,
    run_id int NOT NULL REFERENCES control.run,
    request text NOT NULL,
    PRIMARY KEY (stage, cell))`,
  `CREATE VIEW serving.publication AS
    SELECT publication_id, published_at, kind, restores, reason, tables, datasets,
      publication_id >= (SELECT COALESCE(max(publication_id), 0) FROM control.publication WHERE pruned) AS readable
    FROM control.publication`,
  `CREATE VIEW serving.change AS
    SELECT publication_id, table_name, seq, change, key, before, after FROM control.change
    UNION ALL
    SELECT p.publication_id, t->>'table', 0, 'base', NULL, NULL, NULL
    FROM control.publication p, jsonb_array_elements(p.tables) t WHERE (t->>'base')::bool`,
  `COMMENT ON VIEW serving.publication IS 'Every publication: its kind, what it restores, its tables with row counts, and whether it can still be read.'`,
  `COMMENT ON VIEW serving.change IS 'Row changes by publication, table and seq. Change base: the first rows of a table came with this publication and are not listed.'`,
];

/** Datasets of the last publication, for readers of the schema serving. */
const CATALOGUE: readonly string[] = [
  `CREATE TABLE control.dataset_catalogue (
    dataset text PRIMARY KEY,
    adapter text NOT NULL,
    title text NOT NULL,
    publisher text NOT NULL,
    release text NOT NULL,
    release_date date,
    crs text NOT NULL,
    parts text[] NOT NULL,
    records float8 NOT NULL,
    rejects float8 NOT NULL,
    left_out float8 NOT NULL,
    coverage jsonb NOT NULL,
    licence text NOT NULL,
    attribution text NOT NULL,
    cadence text NOT NULL,
    cadence_days int,
    loaded_at timestamptz NOT NULL)`,
  `CREATE VIEW serving.dataset_catalogue AS
    SELECT dataset, adapter, title, publisher, release, release_date, crs, parts, records, rejects, left_out, coverage,
      licence, attribution, cadence, cadence_days, to_char(loaded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS loaded_at,
      age_days, age_days > cadence_days AS is_late
    FROM (SELECT *, CURRENT_DATE - COALESCE(release_date, (loaded_at AT TIME ZONE 'UTC')::date) AS age_days
      FROM control.dataset_catalogue) c`,
  `COMMENT ON VIEW serving.dataset_catalogue IS 'The datasets behind the last publication, with licence, coverage and freshness.'`,
];

/** A table that a later step removes. */
const HANDED_OUT: readonly string[] = [
  `CREATE TABLE control.handed_out (
    run_id int NOT NULL REFERENCES control.run,
    stage text NOT NULL,
    cell int NOT NULL,
    plan jsonb NOT NULL,
    PRIMARY KEY (run_id, stage, cell))`,
];

/**
 * Change log by key: which keys of a tracked table have other rows after a computation. Also partitions whose staged rows are only some
 * keys, next to published rows of the other keys.
 */
const BY_KEY: readonly string[] = [
  `CREATE TABLE control.key_change (
    change_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id int NOT NULL REFERENCES control.run,
    stage text NOT NULL,
    cell int NOT NULL,
    delta numeric NOT NULL,
    keys text[] NOT NULL)`,
  'CREATE INDEX key_change_stage ON control.key_change (stage)',
  'ALTER TABLE control.partition ADD COLUMN staged_by_key bool NOT NULL DEFAULT false',
  `CREATE TABLE control.staged_key (
    stage text NOT NULL,
    cell int NOT NULL,
    key text NOT NULL,
    PRIMARY KEY (stage, cell, key))`,
];

/** Boxes around the area that a partition's rows describe, for stages that declare it. */
const EXTENTS: readonly string[] = ['ALTER TABLE control.partition ADD COLUMN extent float8[]'];

/** The same for the rows of a home cell, from any partition. */
const HOME_EXTENTS: readonly string[] = ['ALTER TABLE control.home ADD COLUMN extent float8[]'];

/** Removes the table of work handed out: the planner determines the remaining work. */
const NO_HANDED_OUT: readonly string[] = ['DROP TABLE control.handed_out'];

/** Session that holds the run lock of the database. */
const HOLDER: readonly string[] = [
  'CREATE TABLE control.holder (pid int PRIMARY KEY, backend_start timestamptz NOT NULL)',
];

/** Last reported progress of a run that is active or was killed: `Piece`s of its timeline. */
const PROGRESS: readonly string[] = ['ALTER TABLE control.run ADD COLUMN progress jsonb'];

/** Earlier rows of changed keys, in the named columns: an array of rows for each key, each an array of values. Null: not kept. */
const ROWS_BEFORE: readonly string[] = [
  'ALTER TABLE control.key_change ADD COLUMN columns text[], ADD COLUMN before jsonb[]',
];

/** Boxes around the rows of changed keys, before and after: an array of arrays of west, south, east and north. Null: not logged. */
const CHANGED_PLACES: readonly string[] = ['ALTER TABLE control.key_change ADD COLUMN boxes jsonb'];

/** Removes the earlier rows: sums are computed as a whole. */
const NO_ROWS_BEFORE: readonly string[] = [
  'ALTER TABLE control.key_change DROP COLUMN columns, DROP COLUMN before',
];

/** Staged rows of a tracked table now always belong to listed keys; rows staged before are recomputed. */
const STAGED_KEYS: readonly string[] = [
  `DO $$ DECLARE name text; BEGIN
     FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'staged' LOOP EXECUTE format('TRUNCATE staged.%I', name); END LOOP;
   END $$`,
  'DELETE FROM control.staged_key',
  'UPDATE control.partition SET staged = false WHERE staged',
  'ALTER TABLE control.partition DROP COLUMN staged_by_key',
];

/** Journal rows of updates now have only the key and the changed columns. The aggregate merges such rows, in the given order. */
const CHANGED_COLUMNS: readonly string[] = [
  `CREATE AGGREGATE control.overlay (jsonb) (sfunc = jsonb_concat, stype = jsonb, initcond = '{}')`,
  'ALTER TABLE control.publication ADD COLUMN journal_bytes bigint NOT NULL DEFAULT 0',
  `COMMENT ON VIEW serving.change IS 'Row changes by publication, table and seq: an inserted or deleted row whole, of an updated one its key and the columns that differ. Change base: the first rows of a table came with this publication and are not listed.'`,
];

/** Actions requested in the console: by whom, with which details, and their request on the queue. */
const ACTIONS: readonly string[] = [
  `CREATE TABLE control.action (
    action_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    action text NOT NULL,
    detail jsonb NOT NULL,
    job_id text)`,
];

/** Digests now detect two rows that swap a value: what was computed with older digests is recomputed, and compared with the served rows. */
const HASHED_AGAIN: readonly string[] = [
  `UPDATE control.partition SET fingerprint = jsonb_set(fingerprint, '{version}', '0')`,
  'DELETE FROM control.key_change',
];

/** A backfill request is recorded in the partition's fingerprint. */
const MARKED_PARTITIONS: readonly string[] = [
  `UPDATE control.partition p SET fingerprint = jsonb_set(fingerprint, '{inputs,backfill}', to_jsonb(f.request))
   FROM control.forced f WHERE f.stage = p.stage AND f.cell = p.cell`,
  'DROP TABLE control.forced',
];

/** The reader of a part of a dataset has a row here in an open transaction, which is never committed. */
const LOADING: readonly string[] = ['CREATE TABLE control.loading (load_id int PRIMARY KEY)'];

/**
 * No table: this step makes older databases run the set-up again, which revokes from readers what lets any session write
 * (store/reader_role.ts).
 */
const READERS_WRITE_NOTHING: readonly string[] = [];

/** Values that other rows refer to in changed rows: an object of arrays by column. Null: only the keys are listed. */
const NAMED_VALUES: readonly string[] = [
  'DELETE FROM control.key_change',
  'ALTER TABLE control.key_change ADD COLUMN named jsonb',
];

/** Rejects of the last delivery of a dataset, if it was refused because of them. */
const FAILED_REJECTS: readonly string[] = [
  `CREATE TABLE control.failed_reject (
    dataset text NOT NULL,
    code text NOT NULL,
    file text NOT NULL,
    at text NOT NULL,
    message text NOT NULL)`,
];

/** The transaction that records a publication writes its row changes, so the server need not look the publication up for each of them. */
const NO_CHANGE_REFERENCE: readonly string[] = [
  'ALTER TABLE control.change DROP CONSTRAINT change_publication_id_fkey',
];

/** An earlier publication's rows of one property are found by its changes. */
const CHANGES_BY_PROPERTY: readonly string[] = [
  `CREATE INDEX change_property ON control.change (table_name, (COALESCE(before, after) ->> 'gnaf_pid'))
    WHERE (COALESCE(before, after) ->> 'gnaf_pid') IS NOT NULL`,
];

/**
 * The tables of the schema `control`, as migration steps: an older database applies the steps that it lacks. All state that decides what to
 * do is here. A step that databases may have applied is never edited.
 */
export const CONTROL_STEPS: readonly (readonly string[])[] = [
  BOOKS,
  JOURNAL,
  CATALOGUE,
  HANDED_OUT,
  BY_KEY,
  EXTENTS,
  HOME_EXTENTS,
  NO_HANDED_OUT,
  HOLDER,
  PROGRESS,
  ROWS_BEFORE,
  CHANGED_PLACES,
  NO_ROWS_BEFORE,
  STAGED_KEYS,
  CHANGED_COLUMNS,
  ACTIONS,
  HASHED_AGAIN,
  MARKED_PARTITIONS,
  LOADING,
  READERS_WRITE_NOTHING,
  NAMED_VALUES,
  FAILED_REJECTS,
  NO_CHANGE_REFERENCE,
  CHANGES_BY_PROPERTY,
];

/** Version of the control schema; a database with a later version is refused, and the error names the command that helps. */
export const CONTROL_VERSION = CONTROL_STEPS.length;
