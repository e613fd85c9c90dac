import { clientGone, unavailable } from './refusal.ts';

/** A call that waits for a turn: the account that pays, and whether its client has hung up. */
export interface QueuedCall {
  account: number;
  isGone: () => boolean;
}

interface PendingCall extends QueuedCall {
  start: () => void;
  refuse: (error: Error) => void;
}

/** Limits of a queue. */
export interface QueueLimits {
  /** Maximum work under way. */
  atOnce: number;
  /** Maximum calls that wait. */
  waiting: number;
  /** Maximum calls of one account that wait. */
  waitingOfAccount: number;
}

/**
 * Does long work a few pieces at a time, the accounts in turn, so that one account with many calls delays another by one piece of
 * work. A call whose client has hung up is dropped when its turn comes.
 */
export class AccountQueue {
  readonly #limits: QueueLimits;
  /** Calls that wait, by account; the account whose turn comes next is the first. */
  readonly #waiting = new Map<number, PendingCall[]>();
  #underWay = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Does `work` when the turn of its account comes. @throws Refusal 503 where too many wait, 499 where the client has hung up */
  async run<T>(call: QueuedCall, work: () => Promise<T>): Promise<T> {
    if (call.isGone()) throw clientGone();
    if (this.#underWay < this.#limits.atOnce) this.#underWay++;
    else await this.#turn(call);
    try {
      return await work();
    } finally {
      this.#handOver();
    }
  }

  /** Waits for the place of work that ends. */
  #turn(call: QueuedCall): Promise<void> {
    this.#dropGone();
    const own = this.#waiting.get(call.account) ?? [];
    const all = [...this.#waiting.values()].reduce((sum, each) => sum + each.length, 0);
    if (own.length >= this.#limits.waitingOfAccount)
      throw unavailable('The account has too many long calls in progress.', 2);
    if (all >= this.#limits.waiting) throw unavailable('Too many long calls are in progress.', 2);
    return new Promise((start, refuse) => {
      own.push({ ...call, start, refuse });
      this.#waiting.set(call.account, own);
    });
  }

  /** Frees the places of calls whose clients have hung up. */
  #dropGone(): void {
    for (const [account, calls] of this.#waiting) {
      const left = calls.filter(({ isGone }) => !isGone());
      for (const call of calls) if (!left.includes(call)) call.refuse(clientGone());
      if (left.length > 0) this.#waiting.set(account, left);
      else this.#waiting.delete(account);
    }
  }

  /** Gives the place of work that has ended to the next account whose client still waits. */
  #handOver(): void {
    const next = this.#waiting.entries().next();
    if (next.done === true) {
      this.#underWay--;
      return;
    }
    const [account, calls] = next.value;
    this.#waiting.delete(account);
    const call = calls.shift()!;
    // The account goes to the end of the line.
    if (calls.length > 0) this.#waiting.set(account, calls);
    if (call.isGone()) {
      call.refuse(clientGone());
      this.#handOver();
    } else call.start();
  }
}
