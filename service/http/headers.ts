/** Price information of a response: the call, the wallet, the card. */
export interface Bill {
  cost: number;
  version: number | null;
  /** Spend and balance after the call. Null: the endpoint is not metered, or the caller has no account. */
  wallet: { spent_cents: number; balance_cents: number } | null;
}

/** Start of the next calendar month in UTC. */
export function periodEnd(now: Date = new Date()): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
    .toISOString()
    .replace('.000Z', 'Z');
}

let period = { end: '', until: 0 };

/** The same for the current time, computed once a month. */
function currentPeriodEnd(): string {
  const now = Date.now();
  if (now >= period.until) {
    const end = periodEnd(new Date(now));
    period = { end, until: Date.parse(end) };
  }
  return period.end;
}

/** Headers of section 8 of the specification, except X-Request-Id, which every response has. */
export function billHeaders({ cost, version, wallet }: Bill): Record<string, string> {
  return {
    'x-cost-cents': String(cost),
    'x-period-end': currentPeriodEnd(),
    ...(version === null ? {} : { 'x-rate-card-version': String(version) }),
    ...(wallet === null
      ? {}
      : {
          'x-spent-cents': String(wallet.spent_cents),
          'x-remaining-cents': String(wallet.balance_cents),
          'x-balance-cents': String(wallet.balance_cents),
        }),
  };
}
