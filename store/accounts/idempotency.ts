import type { Queryable } from './accounts.ts';

/** Lifetime of an idempotency key, hours. */
const IDEMPOTENT_HOURS = 24;

const OLD = `i.at < now() - interval '${IDEMPOTENT_HOURS} hours'`;

/** The call behind an idempotency key: the call, its charged request, and its answer if there is one yet. */
export interface Repeated {
  call: Buffer;
  request_id: string;
  answer: string | null;
}

/** Returns the call of a key, or stores the given one if the key is new or older than a day. */
export async function repeated(
  client: Queryable,
  account: number,
  key: string,
  request: { call: Buffer; requestId: string },
): Promise<Repeated> {
  const { rows } = await client.query<Repeated>({
    name: 'repeated',
    text: `INSERT INTO account.idempotency AS i (account_id, key, call, request_id) VALUES ($1, $2, $3, $4)
           ON CONFLICT (account_id, key) DO UPDATE SET
             call = CASE WHEN ${OLD} THEN excluded.call ELSE i.call END,
             request_id = CASE WHEN ${OLD} THEN excluded.request_id ELSE i.request_id END,
             answer = CASE WHEN ${OLD} THEN NULL ELSE i.answer END,
             at = CASE WHEN ${OLD} THEN now() ELSE i.at END
           RETURNING call, request_id, answer`,
    values: [account, key, request.call, request.requestId],
  });
  return rows[0]!;
}

/** Stores the answer of a call. */
export async function keepAnswer(client: Queryable, requestId: string, answer: string): Promise<void> {
  await client.query({
    name: 'keep_answer',
    text: 'UPDATE account.idempotency SET answer = $2 WHERE request_id = $1',
    values: [requestId, answer],
  });
}

/** Deletes keys that are older than a day. */
export async function forgetOldKeys(client: Queryable): Promise<void> {
  await client.query(
    `DELETE FROM account.idempotency WHERE at < now() - interval '${IDEMPOTENT_HOURS} hours'`,
  );
}
