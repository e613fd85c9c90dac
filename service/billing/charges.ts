import { createHash } from 'node:crypto';
import type { Queryable } from '../../store/accounts/accounts.ts';
import { type Charge, type Charged, chargeCalls, refundCharges } from '../../store/accounts/calls.ts';
import { isAway } from '../../store/system/connection_error.ts';
import { gather } from '../../store/system/gather.ts';
import { unavailable } from '../http/refusal.ts';

/** Maximum attempts of a charge with broken connections, and the wait before the second; each further wait is twice as long. */
const ATTEMPTS = 4;
const WAIT_MS = 100;
/** Time without a successful attempt after which a charge is attempted once: calls that wait behind each other end in bounded time. */
const AWAY_MS = 2000;
/** Wait before unconfirmed charges are checked again. */
const OWED_MS = 1000;

const asPaid = (charged: Charged): Charged =>
  charged.outcome === 'known' ? { ...charged, outcome: 'paid' } : charged;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Charges calls. Calls that finish while a charge is running share the next statement and its commit. If the connection breaks, the commit
 * is uncertain, so the same requests are charged again; each is paid once. If the database stays away, the calls are refused, and charges
 * that the ledger may still hold are refunded.
 */
export class Charges {
  readonly #accounts: Queryable;
  readonly #sender: number;
  readonly #one: (charge: Charge) => Promise<Charged>;
  #owed: string[] = [];
  #isGiving = false;
  #closed = false;
  /** Start of the first failed attempt since one succeeded, milliseconds. Null: the last one succeeded. */
  #awaySince: number | null = null;
  /** Cents charged since the start. */
  cents = 0;

  /** `sender` is the number of this process (store/accounts/unsent.ts). */
  constructor(accounts: Queryable, sender: number) {
    this.#accounts = accounts;
    this.#sender = sender;
    this.#one = gather((charges) => this.#together(charges));
  }

  async pay(charge: Charge): Promise<Charged> {
    const charged = await this.#one(charge);
    if (charged.outcome === 'paid') this.cents += charge.cents;
    return charged;
  }

  /** Refunds the charges of a call that gets no answer. */
  async refund(requestIds: readonly string[]): Promise<void> {
    if (requestIds.length === 0) return;
    this.#owed.push(...requestIds);
    await this.#give();
  }

  async #together(charges: readonly Charge[]): Promise<Charged[]> {
    for (let attempt = 1; ; attempt++) {
      const startedAt = performance.now();
      try {
        const charged = await chargeCalls(this.#accounts, charges, this.#sender);
        this.#awaySince = null;
        // A charge found by a later attempt was made by an earlier attempt of this call.
        return attempt === 1 ? charged : charged.map(asPaid);
      } catch (error) {
        if (!isAway(error)) throw error;
        this.#awaySince ??= startedAt;
        if (attempt === ATTEMPTS || performance.now() - this.#awaySince > AWAY_MS) {
          this.#owed.push(...charges.map(({ request_id }) => request_id));
          void this.#give();
          throw unavailable('The database does not answer; nothing is charged.', 2);
        }
        await pause(WAIT_MS * 2 ** (attempt - 1));
      }
    }
  }

  async #give(): Promise<void> {
    if (this.#isGiving) return;
    this.#isGiving = true;
    while (this.#owed.length > 0 && !this.#closed) {
      const requests = this.#owed;
      try {
        await refundCharges(this.#accounts, requests);
        this.#owed = this.#owed.slice(requests.length);
      } catch {
        await pause(OWED_MS);
      }
    }
    this.#isGiving = false;
  }

  close(): void {
    this.#closed = true;
  }
}

/** Id of a further charge of a call; equal in every repeat of the call. */
export function chargeId(requestId: string, path: string): string {
  const hex = createHash('sha256').update(`${requestId} ${path}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
