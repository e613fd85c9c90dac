/** Tables of runs, loads, partitions, rejects and publications. */
const STATE: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS control',
  'CREATE SCHEMA IF NOT EXISTS record',
  'CREATE SCHEMA IF NOT EXISTS asset',
  'CREATE SCHEMA IF NOT EXISTS staged',
  'CREATE SCHEMA IF NOT EXISTS serving',
  `CREATE TABLE IF NOT EXISTS control.meta (key text PRIMARY KEY, value text NOT NULL)`,
  `CREATE TABLE control.run (
    run_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    command text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'published', 'unchanged', 'held', 'failed', 'refused')),
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    report jsonb,
    -- Last reported progress of a run that is active or was killed: pieces of its timeline.
    progress jsonb)`,
  `CREATE TABLE control.file_digest (
    path text PRIMARY KEY, bytes bigint NOT NULL, mtime_ms float8 NOT NULL, inode bigint NOT NULL, sha256 text NOT NULL)`,
  `CREATE TABLE control.load (
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
    loaded_at timestamptz,
    part_fingerprint text)`,
  `CREATE TABLE control.load_digest (
    load_id int NOT NULL REFERENCES control.load ON DELETE CASCADE,
    table_name text NOT NULL,
    cell int NOT NULL,
    rows int NOT NULL,
    digest numeric NOT NULL,
    extent float8[],
    PRIMARY KEY (load_id, table_name, cell))`,
  `CREATE TABLE control.partition (
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
    reason text NOT NULL DEFAULT '',
    -- Box around the area that the rows describe, for stages that declare it.
    extent float8[],
    PRIMARY KEY (stage, cell))`,
  `CREATE TABLE control.home (
    stage text NOT NULL,
    cell int NOT NULL,
    home int NOT NULL,
    rows int NOT NULL,
    digest numeric NOT NULL,
    extent float8[],
    PRIMARY KEY (stage, cell, home),
    FOREIGN KEY (stage, cell) REFERENCES control.partition ON DELETE CASCADE)`,
  `CREATE TABLE control.reject (
    load_id int REFERENCES control.load ON DELETE CASCADE,
    stage text,
    cell int,
    code text NOT NULL,
    file text NOT NULL,
    at text NOT NULL,
    message text NOT NULL,
    -- Address that the row describes. Null: none, or the row does not name it.
    gnaf_pid text,
    CHECK (load_id IS NOT NULL OR (stage IS NOT NULL AND cell IS NOT NULL)))`,
  'CREATE INDEX reject_load ON control.reject (load_id)',
  'CREATE INDEX reject_stage ON control.reject (stage, cell)',
  'CREATE INDEX reject_address ON control.reject (gnaf_pid) WHERE gnaf_pid IS NOT NULL',
  `CREATE TABLE control.publication (
    publication_id int PRIMARY KEY,
    run_id int NOT NULL REFERENCES control.run,
    published_at timestamptz NOT NULL DEFAULT now(),
    tables jsonb NOT NULL,
    datasets jsonb NOT NULL,
    audit jsonb NOT NULL,
    kind text NOT NULL DEFAULT 'refresh' CHECK (kind IN ('refresh', 'backfill', 'rollback')),
    restores int,
    reason text,
    -- Computed rows are held back behind this rollback.
    held bool NOT NULL DEFAULT false,
    pruned bool NOT NULL DEFAULT false,
    journal_bytes bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE control.published (
    table_name text NOT NULL,
    cell int NOT NULL,
    digest numeric NOT NULL,
    rows int NOT NULL,
    PRIMARY KEY (table_name, cell))`,
  `CREATE TABLE control.change (
    publication_id int NOT NULL,
    table_name text NOT NULL,
    seq int NOT NULL,
    change text NOT NULL CHECK (change IN ('insert', 'update', 'delete')),
    key text COLLATE "C" NOT NULL,
    before jsonb,
    after jsonb,
    PRIMARY KEY (publication_id, table_name, seq))`,
  'CREATE INDEX change_key ON control.change (table_name, key)',
  // An earlier publication's rows of one property are found by its changes.
  `CREATE INDEX change_property ON control.change (table_name, (COALESCE(before, after) ->> 'gnaf_pid'))
    WHERE (COALESCE(before, after) ->> 'gnaf_pid') IS NOT NULL`,
  // The session that holds the run lock of the database.
  'CREATE TABLE control.holder (pid int PRIMARY KEY, backend_start timestamptz NOT NULL)',
  // The reader of a part of a dataset has a row here in an open transaction, which is never committed.
  'CREATE TABLE control.loading (load_id int PRIMARY KEY)',
  // Rejects of the last delivery of a dataset, if it was refused because of them.
  `CREATE TABLE control.failed_reject (
    dataset text NOT NULL,
    code text NOT NULL,
    file text NOT NULL,
    at text NOT NULL,
    message text NOT NULL)`,
  // Actions requested in the console: by whom, with which details, and their request on the queue.
  `CREATE TABLE control.action (
    action_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL,
    action text NOT NULL,
    detail jsonb NOT NULL,
    job_id text)`,
];

/** The journal for readers. The aggregate merges the changed columns of updates, in the given order. */
const JOURNAL: readonly string[] = [
  `CREATE AGGREGATE control.overlay (jsonb) (sfunc = jsonb_concat, stype = jsonb, initcond = '{}')`,
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
  `COMMENT ON VIEW serving.change IS 'Row changes by publication, table and seq: an inserted or deleted row whole, of an updated one its key and the columns that differ. Change base: the first rows of a table came with this publication and are not listed.'`,
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

/**
 * Change log by key: keys of a tracked table whose rows a computation changed. `boxes`: around those rows, before and after, an array of
 * arrays of west, south, east and north; null: not logged. `named`: values that other rows refer to in changed rows, an object of arrays by
 * column; null: only the keys are listed. Also the keys of staged rows.
 */
const BY_KEY: readonly string[] = [
  `CREATE TABLE control.key_change (
    change_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id int NOT NULL REFERENCES control.run,
    stage text NOT NULL,
    cell int NOT NULL,
    delta numeric NOT NULL,
    keys text[] NOT NULL,
    boxes jsonb,
    named jsonb)`,
  'CREATE INDEX key_change_stage ON control.key_change (stage)',
  `CREATE TABLE control.staged_key (
    stage text NOT NULL,
    cell int NOT NULL,
    key text NOT NULL,
    PRIMARY KEY (stage, cell, key))`,
];

/** Statements that create the schema `control` and the schemas of tables. All state that decides what to do is here. */
export const CONTROL_DDL: readonly string[] = [...STATE, ...JOURNAL, ...CATALOGUE, ...BY_KEY];

/** Version of these statements: raise it with each change. A database of another version is refused. */
export const CONTROL_VERSION = 26;
