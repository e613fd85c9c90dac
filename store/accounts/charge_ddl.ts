/**
 * Debits calls and writes their ledger rows, all in one statement's transaction: an account's calls in the given order, each if the balance
 * covers it. Returns the outcome of each call, and spend and balance after it. Accounts are locked in order of their numbers, so two
 * statements never wait for each other. `ages`: milliseconds since a call arrived; `sender`: the number of the calling process. Only paid
 * calls change anything. Outcomes: `paid`; `short`, the balance does not cover it; `revoked`, its key is revoked by now; `card`, another rate
 * card applied when it arrived. Further ones: `capped`, the key has reached its daily limit; `known`, the request was charged before;
 * `returned`, it was charged before and refunded.
 */
export const CHARGE = `CREATE FUNCTION account.charge(accounts int[], keys int[], cents int[], requests uuid[], endpoints text[], versions int[],
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
