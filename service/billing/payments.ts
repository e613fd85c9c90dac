import type { RateCard } from '../../schema/rate_card.ts';
import type { SessionPool } from '../../store/accounts/accounts.ts';
import { type Charged, isCharged } from '../../store/accounts/calls.ts';
import type { Bill } from '../http/headers.ts';
import { capped, noCredit, unavailable, unknownKey } from '../http/refusal.ts';
import type { AuthenticatedCall } from './authenticated_call.ts';
import { type Charges, chargeId } from './charges.ts';

/** Maximum rate cards to try if the card of a call has changed. */
const CARDS = 3;
/** Maximum refunded purchases of the same thing; then a further purchase is refused. */
const PURCHASES = 10;

/** True if a charge is paid, now or earlier. */
const isPaid = (outcome: Charged['outcome']): boolean => outcome === 'paid' || outcome === 'known';

/** Refuses what was not paid, except if the prices have changed. @throws Refusal 401, 402, 503 */
function refuseUnpaid(outcome: Charged['outcome'], cents: number, balance: number): void {
  if (outcome === 'short') throw noCredit(cents, balance);
  if (outcome === 'revoked') throw unknownKey();
  if (outcome === 'capped') throw capped(cents);
  if (outcome === 'returned') throw unavailable('The call was interrupted and refunded. Repeat it.', 1);
}

/** Charges calls and purchases to the accounts of their callers. */
export class Payments {
  readonly #accounts: SessionPool;
  readonly #charges: Charges;
  readonly #asOfNow: (call: AuthenticatedCall) => Promise<AuthenticatedCall>;

  /** `asOfNow` reads a caller and the rate card from the database. */
  constructor(
    accounts: SessionPool,
    charges: Charges,
    asOfNow: (call: AuthenticatedCall) => Promise<AuthenticatedCall>,
  ) {
    this.#accounts = accounts;
    this.#charges = charges;
    this.#asOfNow = asOfNow;
  }

  /**
   * Charges a call by the rate card at its arrival, one charge for each operation called. If a new card came meanwhile, the cost is
   * computed again. Either all charges are paid or none. A charge already paid by a concurrent repeat of the call costs nothing. @throws
   * Refusal 401, 402
   */
  async charge(
    call: AuthenticatedCall,
    requestId: string,
    costsBy: (card: RateCard) => [path: string, cents: number][],
  ): Promise<Bill & { version: number; charged: string[]; isRepeat: boolean }> {
    const { caller } = call;
    for (let { card } = call, i = 0; i < CARDS; i++, { card } = await this.#asOfNow(call)) {
      const costs = costsBy(card);
      const cost = costs.reduce((sum, [, cents]) => sum + cents, 0);
      if (cost === 0) return { cost, version: card.version, wallet: caller, charged: [], isRepeat: false };
      const ids = costs.map(([path], at) => (at === 0 ? requestId : chargeId(requestId, path)));
      const outcomes = await Promise.all(
        costs.map(([endpoint, cents], at) =>
          this.#charges.pay({
            account_id: caller.account_id,
            key_id: caller.key_id,
            cents,
            request_id: ids[at]!,
            endpoint,
            version: card.version,
            started: call.started,
          }),
        ),
      );
      const { outcome: _, ...wallet } = outcomes.at(-1)!;
      Object.assign(caller, wallet);
      const failed = outcomes.find(({ outcome }) => !isPaid(outcome));
      if (failed === undefined) {
        const debited = costs.filter((_cost, at) => outcomes[at]!.outcome === 'paid');
        const ownCents = debited.reduce((sum, [, cents]) => sum + cents, 0);
        return {
          cost: ownCents,
          version: card.version,
          wallet,
          charged: ids,
          isRepeat: debited.length === 0,
        };
      }
      const paid = ids.filter((_id, at) => isPaid(outcomes[at]!.outcome));
      // Refunding the call's own id releases its idempotency key, whichever charge failed.
      if (paid.length > 0) await this.#charges.refund([requestId, ...paid]);
      refuseUnpaid(failed.outcome, cost, failed.balance_cents);
      if (costs.length > 1) break;
    }
    throw unavailable('The prices are changing.', 1);
  }

  /** Refunds the charges of a call that gets no answer, without waiting for the database. */
  refund(requestIds: readonly string[]): void {
    void this.#charges.refund(requestIds);
  }

  /** Charges an account once for something. A repeat is free, unless the first charge was refunded. @throws Refusal 401, 402 */
  async buyOnce(
    buyer: AuthenticatedCall,
    path: string,
    what: string,
  ): Promise<{ bill: Bill; charged: string[] }> {
    const { caller, card } = buyer;
    const cents = card.prices[path]!;
    const nothing = { bill: { cost: 0, version: card.version, wallet: caller }, charged: [] };
    if (cents === 0) return nothing;
    for (let attempt = 0; attempt < PURCHASES; attempt++) {
      const request_id = chargeId(`${caller.account_id} ${what}`, `${path} ${attempt}`);
      if (await isCharged(this.#accounts, request_id)) return nothing;
      const { account_id, key_id } = caller;
      const about = { account_id, key_id, cents, request_id, endpoint: path, version: card.version };
      const { outcome, ...wallet } = await this.#charges.pay({ ...about, started: buyer.started });
      if (outcome === 'returned') continue;
      refuseUnpaid(outcome, cents, wallet.balance_cents);
      if (outcome === 'card') throw unavailable('The prices are changing.', 1);
      const cost = outcome === 'known' ? 0 : cents;
      return { bill: { cost, version: card.version, wallet }, charged: [request_id] };
    }
    throw unavailable('The purchase was interrupted too often.', 1);
  }
}
