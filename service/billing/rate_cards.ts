import { RATE_CARD, RATE_CARD_VERSION } from '../../contract/service/rate_card.ts';
import { EtlError } from '../../schema/errors.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Queryable } from '../../store/accounts/accounts.ts';
import { firstRateCard, rateCards } from '../../store/accounts/rate_cards.ts';

/** Rate cards of the installation. A new card is read when the first call needs it. */
export class RateCards {
  readonly #accounts: Queryable;
  #cards = new Map<number, RateCard>();

  constructor(accounts: Queryable) {
    this.#accounts = accounts;
  }

  /** Reads the cards. The first is the program's own. @throws EtlError rate_card_incomplete if something has no price */
  async open(): Promise<void> {
    await firstRateCard(this.#accounts, RATE_CARD_VERSION, RATE_CARD);
    await this.#load();
    const newest = [...this.#cards.values()].at(-1)!;
    const unpriced = Object.keys(RATE_CARD).filter((path) => newest.prices[path] === undefined);
    if (unpriced.length === 0) return;
    throw new EtlError(
      'rate_card_incomplete',
      `Rate card ${newest.version} has no price for ${unpriced.join(', ')}. Add them with: pipeline admin prices set ${unpriced.map((path) => `${path}=${RATE_CARD[path]}`).join(' ')}`,
    );
  }

  async #load(): Promise<void> {
    this.#cards = new Map((await rateCards(this.#accounts)).map((card) => [card.version, card]));
  }

  /** Card of a version. */
  async at(version: number): Promise<RateCard> {
    if (!this.#cards.has(version)) await this.#load();
    return this.#cards.get(version)!;
  }
}
