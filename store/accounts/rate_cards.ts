import type { RateCard } from '../../schema/rate_card.ts';
import type { Queryable } from './accounts.ts';

/** Cents by operation. */
export type PriceList = RateCard['prices'];

/** Stores the program's rate card if there is none yet. */
export async function firstRateCard(
  client: Queryable,
  version: number,
  prices: RateCard['prices'],
): Promise<void> {
  await client.query(
    `INSERT INTO account.rate_card (version, effective_at, prices)
     SELECT $1, now(), $2 WHERE NOT EXISTS (SELECT 1 FROM account.rate_card)
     ON CONFLICT (version) DO NOTHING`,
    [version, JSON.stringify(prices)],
  );
}

/** Returns every card, oldest first. */
export async function rateCards(client: Queryable): Promise<RateCard[]> {
  const { rows } = await client.query<Omit<RateCard, 'effective_at'> & { effective_at: Date }>(
    'SELECT version, effective_at, prices FROM account.rate_card ORDER BY version',
  );
  return rows.map((row) => ({ ...row, effective_at: row.effective_at.toISOString() }));
}

/** Returns the version of the card in effect; null: none. */
export async function versionInEffect(client: Queryable): Promise<number | null> {
  const { rows } = await client.query<{ version: number | null }>({
    name: 'card_version',
    text: 'SELECT max(version) AS version FROM account.rate_card WHERE effective_at <= now()',
  });
  return rows[0]!.version;
}

/** Adds a card that changes some prices of the newest one from a given time, or at once. Returns its version. */
export async function addRateCard(
  client: Queryable,
  changes: Readonly<Record<string, number>>,
  from: string | null,
): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `INSERT INTO account.rate_card (version, effective_at, prices)
     SELECT version + 1, GREATEST(COALESCE($2::timestamptz, now()), effective_at), prices || $1::jsonb
     FROM account.rate_card ORDER BY version DESC LIMIT 1 RETURNING version`,
    [JSON.stringify(changes), from],
  );
  return rows[0]!.version;
}
