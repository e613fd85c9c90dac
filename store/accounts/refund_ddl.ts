/** `account.charge` of account_ddl.ts with a further outcome: `known`, where the request was charged before and nothing is debited now. */
const CHARGE_KNOWN = `CREATE OR REPLACE FUNCTION account.charge(accounts int[], keys int[], cents int[], requests uuid[], endpoints text[], versions int[],
     ages float8[], sender int)
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
     today date := (now() AT TIME ZONE 'UTC')::date;
     revoked int[];
     known uuid[];
     room jsonb;
   BEGIN
     SELECT c.version, c.effective_at INTO card, since FROM account.rate_card c WHERE c.effective_at <= now() ORDER BY c.version DESC LIMIT 1;
     FOR payer, places IN
       SELECT u.a, array_agg(u.i ORDER BY u.i) FROM unnest(accounts) WITH ORDINALITY AS u (a, i) GROUP BY u.a ORDER BY u.a
     LOOP
       SELECT balance_cents, spent_cents INTO has, used FROM account.account WHERE account_id = payer FOR UPDATE;
       -- What another statement did to the account is seen only by what begins now, when its row is ours.
       SELECT array_agg(k.key_id) FILTER (WHERE k.revoked_at IS NOT NULL OR k.expires_at <= now()),
           jsonb_object_agg(k.key_id, k.day_cents_max - CASE WHEN k.day = today THEN k.day_cents ELSE 0 END)
             FILTER (WHERE k.day_cents_max IS NOT NULL)
         INTO revoked, room FROM account.key k WHERE k.account_id = payer AND k.key_id = ANY (keys);
       -- A request that is charged already is sent by this process now, unless its answer has left or its cents were given back.
       UPDATE account.unsent u SET holder = sender WHERE u.request_id = ANY (requests);
       SELECT array_agg(l.request_id) INTO known FROM account.ledger l WHERE l.request_id = ANY (requests) AND l.kind = 'charge';
       at_first := has;
       takes := '{}';
       FOREACH place IN ARRAY places LOOP
         IF requests[place] = ANY (known) THEN
           outcome := CASE WHEN EXISTS (SELECT 1 FROM account.ledger l WHERE l.request_id = requests[place] AND l.kind = 'adjustment')
             THEN 'returned' ELSE 'known' END;
         ELSIF keys[place] = ANY (revoked) THEN
           outcome := 'revoked';
         ELSIF versions[place] <> card AND now() - make_interval(secs => ages[place] / 1000) >= since THEN
           outcome := 'card';
         ELSIF (room ->> keys[place]::text)::bigint < cents[place] THEN
           outcome := 'capped';
         ELSIF has >= cents[place] THEN
           has := has - cents[place];
           used := used + cents[place];
           takes := takes || place;
           known := known || requests[place];
           room := CASE WHEN room ? keys[place]::text
             THEN room || jsonb_build_object(keys[place]::text, (room ->> keys[place]::text)::bigint - cents[place]) ELSE room END;
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
         INSERT INTO account.unsent (request_id, holder) SELECT requests[i], sender FROM unnest(takes) AS i;
         UPDATE account.key k SET day = today, day_cents = CASE WHEN k.day = today THEN k.day_cents ELSE 0 END + t.sum
           FROM (SELECT keys[i] AS key_id, sum(cents[i]) AS sum FROM unnest(takes) AS i GROUP BY 1) t
           WHERE k.key_id = t.key_id AND k.day_cents_max IS NOT NULL;
       END IF;
     END LOOP;
   END $$`;

/**
 * Refunds the charges of requests whose answers did not leave: restores balance, spend and the daily limit of the key, and frees their
 * idempotency keys. `sender`: only those that this process was to send; null: all. Returns their number. Locks accounts in the order of
 * their numbers and before everything else, as `charge` does.
 */
const REFUND = `CREATE FUNCTION account.refund(requests uuid[], sender int) RETURNS int LANGUAGE plpgsql AS $$
   DECLARE
     refunded int;
   BEGIN
     PERFORM 1 FROM account.account WHERE account_id IN
       (SELECT l.account_id FROM account.ledger l WHERE l.request_id = ANY (requests) AND l.kind = 'charge') ORDER BY account_id FOR UPDATE;
     IF sender IS NOT NULL THEN
       requests := ARRAY(SELECT u.request_id FROM account.unsent u WHERE u.request_id = ANY (requests) AND u.holder = sender);
     END IF;
     WITH owed AS (
       INSERT INTO account.ledger (account_id, kind, cents, request_id, key_id, endpoint, note)
       SELECT account_id, 'adjustment', -cents, request_id, key_id, endpoint, 'no answer was sent' FROM account.ledger
       WHERE request_id = ANY (requests) AND kind = 'charge'
       ON CONFLICT (request_id, kind) DO NOTHING RETURNING account_id, key_id, request_id, cents),
     credited AS (
       UPDATE account.account a SET balance_cents = balance_cents + o.cents, spent_cents = spent_cents - o.cents
       FROM (SELECT account_id, sum(cents) AS cents FROM owed GROUP BY account_id) o WHERE a.account_id = o.account_id),
     allowed AS (
       UPDATE account.key k SET day_cents = GREATEST(0, day_cents - o.cents)
       FROM (SELECT w.key_id, (l.at AT TIME ZONE 'UTC')::date AS day, sum(w.cents) AS cents
             FROM owed w JOIN account.ledger l ON l.request_id = w.request_id AND l.kind = 'charge' GROUP BY 1, 2) o
       WHERE k.key_id = o.key_id AND k.day = o.day AND k.day_cents_max IS NOT NULL)
     SELECT count(*) INTO refunded FROM owed;
     DELETE FROM account.unsent WHERE request_id = ANY (requests);
     DELETE FROM account.idempotency WHERE request_id = ANY (requests);
     RETURN refunded;
   END $$`;

/** Spend of refunds that were made before they restored it. */
const SPEND_OF_REFUNDS = `UPDATE account.account a SET spent_cents = a.spent_cents - r.cents
  FROM (SELECT account_id, sum(cents) AS cents FROM account.ledger WHERE kind = 'adjustment' AND key_id IS NOT NULL GROUP BY account_id) r
  WHERE r.account_id = a.account_id`;

/** Processes of the service, each with its session, so that others see when one ends. No lock of a reader can pretend that it lives. */
const SENDERS =
  'CREATE TABLE account.sender (holder int PRIMARY KEY, pid int NOT NULL, started timestamptz NOT NULL)';

/** Refunds that restore everything, and who is to send what. */
export const REFUNDS: readonly string[] = [CHARGE_KNOWN, REFUND, SPEND_OF_REFUNDS, SENDERS];
