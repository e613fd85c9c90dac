/**
 * Refunds the charges of requests whose answers were not sent: restores balance, spend and the daily limit of the key, and frees their
 * idempotency keys. `sender`: only charges of this process; null: all. Returns their number. Locks accounts in order of their numbers and
 * before everything else, as `charge` does.
 */
export const REFUND = `CREATE FUNCTION account.refund(requests uuid[], sender int) RETURNS int LANGUAGE plpgsql AS $$
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
