import { CHARGE_SENDER } from './charge_ddl.ts';
import { REFUNDS } from './refund_ddl.ts';

/**
 * Accounts, their keys, and the ledger of payments and charges. Ledger rows are only added; `balance_cents` and `spent_cents` of an account
 * are their sums. Keys and tokens are stored as SHA-256 hashes, except the sandbox key, which is public.
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
    revoked_at timestamptz)`,
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
 * Debits calls and writes their ledger rows, all in one statement's transaction: an account's calls in the given order, each if the balance
 * covers it. A request already in the ledger is not debited again. Returns for each call whether it is paid, and spend and balance after
 * it. Accounts are locked in order of their numbers, so two statements never wait for each other.
 */
const CHARGE: readonly string[] = [
  `CREATE FUNCTION account.charge(accounts int[], keys int[], cents int[], requests uuid[], endpoints text[], versions int[])
   RETURNS TABLE (place int, paid bool, spent bigint, balance bigint) LANGUAGE plpgsql AS $$
   DECLARE
     payer int;
     has bigint;
     used bigint;
     at_first bigint;
     takes int[];
   BEGIN
     FOR payer IN SELECT DISTINCT u.a FROM unnest(accounts) AS u (a) ORDER BY u.a LOOP
       SELECT balance_cents, spent_cents INTO has, used FROM account.account WHERE account_id = payer FOR UPDATE;
       at_first := has;
       takes := '{}';
       FOR place IN SELECT i FROM generate_subscripts(accounts, 1) AS i WHERE accounts[i] = payer ORDER BY i LOOP
         IF EXISTS (SELECT 1 FROM account.ledger l WHERE l.request_id = requests[place] AND l.kind = 'charge') THEN
           paid := true;
         ELSIF has >= cents[place] THEN
           has := has - cents[place];
           used := used + cents[place];
           takes := takes || place;
           paid := true;
         ELSE
           paid := false;
         END IF;
         spent := used;
         balance := has;
         RETURN NEXT;
       END LOOP;
       IF has < at_first THEN
         UPDATE account.account SET balance_cents = has, spent_cents = used WHERE account_id = payer;
         INSERT INTO account.ledger (account_id, kind, cents, request_id, key_id, endpoint, rate_card_version)
           SELECT payer, 'charge', -cents[i], requests[i], keys[i], endpoints[i], versions[i] FROM unnest(takes) AS i;
       END IF;
     END LOOP;
   END $$`,
];

/**
 * The same for cached callers and prices: each call states its age in milliseconds. Outcomes: `paid`; `short`, the balance does not cover
 * it; `revoked`, its key is revoked by now; `card`, another rate card applied when it arrived. Only paid calls change anything.
 */
const CHARGE_REMEMBERED: readonly string[] = [
  'DROP FUNCTION account.charge(int[], int[], int[], uuid[], text[], int[])',
  `CREATE FUNCTION account.charge(accounts int[], keys int[], cents int[], requests uuid[], endpoints text[], versions int[], ages float8[])
   RETURNS TABLE (place int, outcome text, spent bigint, balance bigint) LANGUAGE plpgsql AS $$
   DECLARE
     payer int;
     places int[];
     has bigint;
     used bigint;
     at_first bigint;
     takes int[];
     card int;
     since timestamptz;
     revoked int[];
     known uuid[];
   BEGIN
     SELECT c.version, c.effective_at INTO card, since FROM account.rate_card c WHERE c.effective_at <= now() ORDER BY c.version DESC LIMIT 1;
     FOR payer, places IN
       SELECT u.a, array_agg(u.i ORDER BY u.i) FROM unnest(accounts) WITH ORDINALITY AS u (a, i) GROUP BY u.a ORDER BY u.a
     LOOP
       SELECT balance_cents, spent_cents INTO has, used FROM account.account WHERE account_id = payer FOR UPDATE;
       -- What another statement did to the account is seen only by what begins now, when its row is ours.
       SELECT array_agg(k.key_id) INTO revoked FROM account.key k WHERE k.account_id = payer AND k.revoked_at IS NOT NULL AND k.key_id = ANY (keys);
       SELECT array_agg(l.request_id) INTO known FROM account.ledger l WHERE l.request_id = ANY (requests) AND l.kind = 'charge';
       at_first := has;
       takes := '{}';
       FOREACH place IN ARRAY places LOOP
         IF requests[place] = ANY (known) THEN
           outcome := 'paid';
         ELSIF keys[place] = ANY (revoked) THEN
           outcome := 'revoked';
         ELSIF versions[place] <> card AND now() - make_interval(secs => ages[place] / 1000) >= since THEN
           outcome := 'card';
         ELSIF has >= cents[place] THEN
           has := has - cents[place];
           used := used + cents[place];
           takes := takes || place;
           outcome := 'paid';
         ELSE
           outcome := 'short';
         END IF;
         spent := used;
         balance := has;
         RETURN NEXT;
       END LOOP;
       IF has < at_first THEN
         UPDATE account.account SET balance_cents = has, spent_cents = used WHERE account_id = payer;
         INSERT INTO account.ledger (account_id, kind, cents, request_id, key_id, endpoint, rate_card_version)
           SELECT payer, 'charge', -cents[i], requests[i], keys[i], endpoints[i], versions[i] FROM unnest(takes) AS i;
       END IF;
     END LOOP;
   END $$`,
];

/**
 * Tables that make a call safe to repeat. `unsent`: charges whose answer has not been sent, and the process that will send it.
 * `idempotency`: the call of a client's idempotency key, the request it is charged as, and its answer. Also gives keys an expiry, a daily
 * cap (UTC) and a scope.
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
  `ALTER TABLE account.key ADD expires_at timestamptz, ADD day_cents_max bigint CHECK (day_cents_max >= 0), ADD scope text[],
    ADD day date, ADD day_cents bigint NOT NULL DEFAULT 0`,
  'DROP FUNCTION account.charge(int[], int[], int[], uuid[], text[], int[], float8[])',
];

/** Watches: receivers of changes to some properties, the publication they were notified up to, and whether they accept messages. */
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
    created_at timestamptz NOT NULL DEFAULT now())`,
  'CREATE INDEX watch_account ON account.watch (account_id)',
  `CREATE TABLE account.watched (
    watch_id int NOT NULL REFERENCES account.watch ON DELETE CASCADE,
    gnaf_pid text NOT NULL,
    PRIMARY KEY (watch_id, gnaf_pid))`,
];

/**
 * Scheduling of watches. `watcher`: accounts with watches and the time of their last turn. `claims` counts the claims of a watch, so a
 * worker whose claim has expired changes nothing.
 */
const WATCH_TURNS: readonly string[] = [
  `ALTER TABLE account.watch ADD attempts int NOT NULL DEFAULT 0, ADD retry_at timestamptz NOT NULL DEFAULT now(),
    ADD claimed_until timestamptz NOT NULL DEFAULT '-infinity', ADD claims int NOT NULL DEFAULT 0`,
  `CREATE TABLE account.watcher (
    account_id int PRIMARY KEY REFERENCES account.account,
    turn timestamptz NOT NULL DEFAULT '-infinity')`,
  'INSERT INTO account.watcher (account_id) SELECT DISTINCT account_id FROM account.watch',
];

/** Keeps the properties of a watch in one row with their number: 10,000 rows cost a free call more CPU than any paid one. */
const WATCHED_IDS: readonly string[] = [
  `ALTER TABLE account.watch ADD ids text[] NOT NULL DEFAULT '{}',
    ADD properties int NOT NULL GENERATED ALWAYS AS (cardinality(ids)) STORED`,
  `UPDATE account.watch w
    SET ids = ARRAY(SELECT gnaf_pid FROM account.watched d WHERE d.watch_id = w.watch_id ORDER BY 1)`,
  'DROP TABLE account.watched',
];

/** Migration steps of the schema `account`, like `CONTROL_STEPS`: a step that databases may have applied is never edited. */
export const ACCOUNT_STEPS: readonly (readonly string[])[] = [
  LEDGER,
  CHARGE,
  CHARGE_REMEMBERED,
  [...REPEATABLE, CHARGE_SENDER],
  WATCHES,
  [...REFUNDS, ...WATCH_TURNS],
  WATCHED_IDS,
];
