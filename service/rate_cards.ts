import { EtlError } from '../schema/errors.ts';
import type { Queryable } from '../store/accounts/accounts.ts';
import { firstRateCard, type RateCard, rateCards } from '../store/accounts/rate_cards.ts';
import type { Operation } from './operation.ts';

/** The cards of the installation. A card that has come since is read when a call is the first to be under it. */
export class RateCards {
  readonly #accounts: Queryable;
  #cards = new Map<number, RateCard>();

  constructor(accounts: Queryable) {
    this.#accounts = accounts;
  }

  /** Reads the cards; the program's own is the first. @throws EtlError rate_card_incomplete where an operation has no price */
  async open(operations: readonly Operation[]): Promise<void> {
    await firstRateCard(this.#accounts);
    await this.#read();
    const newest = [...this.#cards.values()].at(-1)!;
    const unpriced = operations.filter(
      ({ path, composed }) => !composed && newest.prices[path] === undefined,
    );
    if (unpriced.length === 0) return;
    throw new EtlError(
      'rate_card_incomplete',
      `Rate card ${newest.version} has no price for ${unpriced.map(({ path }) => path).join(', ')}. Add one with: pipeline admin prices set <endpoint>=<cents>`,
    );
  }

  async #read(): Promise<void> {
    this.#cards = new Map((await rateCards(this.#accounts)).map((card) => [card.version, card]));
  }

  /** The card of a version. */
  async at(version: number): Promise<RateCard> {
    if (!this.#cards.has(version)) await this.#read();
    return this.#cards.get(version)!;
  }
}
