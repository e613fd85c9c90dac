import { CHARGE_SENDER } from './charge_ddl.ts';

/** The same charge with a further outcome: `known`, the request was charged before and nothing is debited now. */
const CHARGE_KNOWN = CHARGE_SENDER.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replace(
  "THEN 'returned' ELSE 'paid' END",
  "THEN 'returned' ELSE 'known' END",
);

/**
 * Refunds the charges of requests whose answers were not sent: restores balance, spend and the daily limit of the key, and frees their
 * idempotency keys. `sender`: only charges of this process; null: all. Returns their number. Locks accounts in order of their numbers and
 * before everything else, as `charge` does.
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

/** Corrects the spend of accounts for earlier refunds, which did not restore it. */
const SPEND_OF_REFUNDS = `UPDATE account.account a SET spent_cents = a.spent_cents - r.cents
  FROM (SELECT account_id, sum(cents) AS cents FROM account.ledger WHERE kind = 'adjustment' AND key_id IS NOT NULL GROUP BY account_id) r
  WHERE r.account_id = a.account_id`;

/** Processes of the service with their sessions, so that others notice when one ends. A reader's lock cannot fake a living process. */
const SENDERS =
  'CREATE TABLE account.sender (holder int PRIMARY KEY, pid int NOT NULL, started timestamptz NOT NULL)';

/** Migration step: complete refunds, and the processes that send answers. */
export const REFUNDS: readonly string[] = [CHARGE_KNOWN, REFUND, SPEND_OF_REFUNDS, SENDERS];
