import { clientGone, unavailable } from '../http/refusal.ts';

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
  /** Maximum work in progress. */
  atOnce: number;
  /** Maximum waiting calls. */
  waitingMax: number;
  /** Maximum waiting calls of one account. */
  waitingOfAccount: number;
}

/**
 * Runs long work a few calls at a time, with the accounts in turn, so that one account with many calls delays another by one call only. A
 * call is dropped on its turn if its client has hung up.
 */
export class AccountQueue {
  readonly #limits: QueueLimits;
  /** Waiting calls by account; the account with the next turn comes first. */
  readonly #queued = new Map<number, PendingCall[]>();
  #underWay = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Runs `work` on its account's turn. @throws Refusal 503 if too many calls wait, 499 if the client has hung up */
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

  /** Waits for a slot. */
  #turn(call: QueuedCall): Promise<void> {
    this.#dropGone();
    const ownCalls = this.#queued.get(call.account) ?? [];
    const all = [...this.#queued.values()].reduce((sum, each) => sum + each.length, 0);
    if (ownCalls.length >= this.#limits.waitingOfAccount)
      throw unavailable('The account has too many long calls in progress.', 2);
    if (all >= this.#limits.waitingMax) throw unavailable('Too many long calls are in progress.', 2);
    return new Promise((start, refuse) => {
      ownCalls.push({ ...call, start, refuse });
      this.#queued.set(call.account, ownCalls);
    });
  }

  /** Drops waiting calls whose clients have hung up. */
  #dropGone(): void {
    for (const [account, calls] of this.#queued) {
      const remaining = calls.filter(({ isGone }) => !isGone());
      for (const call of calls) if (!remaining.includes(call)) call.refuse(clientGone());
      if (remaining.length > 0) this.#queued.set(account, remaining);
      else this.#queued.delete(account);
    }
  }

  /** Passes a free slot to the next account with a waiting client. */
  #handOver(): void {
    const next = this.#queued.entries().next();
    if (next.done === true) {
      this.#underWay--;
      return;
    }
    const [account, calls] = next.value;
    this.#queued.delete(account);
    const call = calls.shift()!;
    // The account moves to the end of the queue.
    if (calls.length > 0) this.#queued.set(account, calls);
    if (call.isGone()) {
      call.refuse(clientGone());
      this.#handOver();
    } else call.start();
  }
}
