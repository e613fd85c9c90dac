/** Version of the control schema; a database of another version is refused with the command that helps. */
export const CONTROL_VERSION = 1;

/**
 * The pipeline's own books: runs, loads, partitions, rejects, publications. Everything that decides what is done lives
 * here and nowhere else.
 */
export const CONTROL_DDL: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS control',
  'CREATE SCHEMA IF NOT EXISTS record',
  'CREATE SCHEMA IF NOT EXISTS asset',
  'CREATE SCHEMA IF NOT EXISTS staged',
  'CREATE SCHEMA IF NOT EXISTS serving',
  `CREATE TABLE IF NOT EXISTS control.meta (key text PRIMARY KEY, value text NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS control.run (
    run_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    command text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'published', 'unchanged', 'failed', 'refused')),
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
