import { CHARGE } from './charge_ddl.ts';
import { REFUND } from './refund_ddl.ts';

/**
 * Accounts, their keys, and the ledger of payments and charges. Ledger rows are only added; `balance_cents` and `spent_cents` of an account
 * are their sums. Keys and tokens are stored as SHA-256 hashes, except the sandbox key, which is public. A key may have an expiry, a daily
 * cap (UTC) and a scope.
 */
const LEDGER: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS account',
  'REVOKE ALL ON SCHEMA account FROM PUBLIC',
  'CREATE TABLE IF NOT EXISTS account.meta (key text PRIMARY KEY, value text NOT NULL)',
  `CREATE TABLE account.account (
    account_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    plan text NOT NULL CHECK (plan IN ('prepaid', 'sandbox')),
    token_hash bytea UNIQUE,
    balance_cents bigint NOT NULL DEFAULT 0 CHECK (balance_cents >= 0),
    spent_cents bigint NOT NULL DEFAULT 0 CHECK (spent_cents >= 0),
    created_at timestamptz NOT NULL DEFAULT now())
    WITH (fillfactor = 50)`,
  `CREATE TABLE account.key (
    key_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id int NOT NULL REFERENCES account.account,
    hash bytea NOT NULL UNIQUE,
    prefix text NOT NULL UNIQUE,
    label text NOT NULL,
    public_text text,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    expires_at timestamptz,
    day_cents_max bigint CHECK (day_cents_max >= 0),
    scope text[],
    day date,
    day_cents bigint NOT NULL DEFAULT 0)`,
  'CREATE INDEX key_account ON account.key (account_id)',
  `CREATE TABLE account.ledger (
    account_id int NOT NULL REFERENCES account.account,
    entry_id bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL CHECK (kind IN ('topup', 'charge', 'adjustment')),
    cents bigint NOT NULL CHECK ((kind = 'topup' AND cents > 0) OR (kind = 'charge' AND cents < 0) OR kind = 'adjustment'),
    request_id uuid NOT NULL,
    key_id int REFERENCES account.key,
    endpoint text,
    rate_card_version int,
    note text,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, entry_id),
    CHECK (kind <> 'charge' OR (key_id IS NOT NULL AND endpoint IS NOT NULL AND rate_card_version IS NOT NULL)))`,
  'CREATE UNIQUE INDEX ledger_request ON account.ledger (request_id, kind)',
  `CREATE FUNCTION account.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'account.% takes rows and gives none back', TG_TABLE_NAME;
   END $$`,
  `CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account.ledger
    FOR EACH STATEMENT EXECUTE FUNCTION account.refuse()`,
  `CREATE TABLE account.rate_card (
    version int PRIMARY KEY CHECK (version >= 1),
    effective_at timestamptz NOT NULL,
    prices jsonb NOT NULL)`,
  `CREATE TRIGGER rate_card_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account.rate_card
    FOR EACH STATEMENT EXECUTE FUNCTION account.refuse()`,
  `CREATE TABLE account.sandbox_sample (
    state text PRIMARY KEY,
    sal text NOT NULL,
    gnaf_pid text NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT now())`,
];

/**
 * Tables that make a call safe to repeat. `unsent`: charges whose answer has not been sent, and the process that will send it.
 * `idempotency`: the call of a client's idempotency key, the request it is charged as, and its answer. `sender`: processes of the service
 * with their sessions, so that others notice when one ends. A reader's lock cannot fake a living process.
 */
const REPEATABLE: readonly string[] = [
  `CREATE TABLE account.unsent (request_id uuid PRIMARY KEY, holder int NOT NULL)
    WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE TABLE account.idempotency (
    account_id int NOT NULL REFERENCES account.account,
    key text NOT NULL,
    call bytea NOT NULL,
    request_id uuid NOT NULL UNIQUE,
    answer text,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key))`,
  'CREATE INDEX idempotency_at ON account.idempotency (at)',
  'CREATE TABLE account.sender (holder int PRIMARY KEY, pid int NOT NULL, started timestamptz NOT NULL)',
];

/**
 * Watches: receivers of changes to some properties, the publication they were notified up to, and whether they accept messages. `claims`
 * counts the claims of a watch, so a worker whose claim has expired changes nothing. `watcher`: accounts with watches and the time of their
 * last turn.
 */
const WATCHES: readonly string[] = [
  `CREATE TABLE account.watch (
    watch_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id int NOT NULL REFERENCES account.account,
    url text NOT NULL,
    secret text NOT NULL,
    fields text[] NOT NULL,
    state text NOT NULL DEFAULT 'unverified' CHECK (state IN ('unverified', 'active', 'given_up')),
    since int NOT NULL,
    next_cursor text,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    attempts int NOT NULL DEFAULT 0,
    retry_at timestamptz NOT NULL DEFAULT now(),
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    claims int NOT NULL DEFAULT 0,
    ids text[] NOT NULL,
    properties int NOT NULL GENERATED ALWAYS AS (cardinality(ids)) STORED)`,
  'CREATE INDEX watch_account ON account.watch (account_id)',
  `CREATE TABLE account.watcher (
    account_id int PRIMARY KEY REFERENCES account.account,
    turn timestamptz NOT NULL DEFAULT '-infinity')`,
];

/** Statements that create the schema `account`. */
export const ACCOUNT_DDL: readonly string[] = [...LEDGER, ...REPEATABLE, CHARGE, REFUND, ...WATCHES];

/** Version of these statements: raise it with each change. Accounts of another version are refused. */
export const ACCOUNT_VERSION = 7;
