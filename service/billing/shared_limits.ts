import type { Worker } from 'node:cluster';
import { gather } from '../../store/system/gather.ts';
import { clientGone } from '../http/refusal.ts';
import { type AccountTurns, type LongCall, memoryTurns, tooManyLong } from './account_turns.ts';
import { memoryLimit, type Rate, type RateLimit, type RateLimitResult } from './rate_limit.ts';

/** Calls that a process takes of a key's rate. */
interface RateRequest {
  keyId: number;
  rate: Rate;
  calls: number;
}

/** Messages of a process to its parent, which counts for all processes. */
export type LimitRequest =
  | { kind: 'take'; id: number; requests: readonly RateRequest[] }
  | { kind: 'turn'; id: number; call: LongCall; account: number }
  /** The call is over, or its client has hung up. */
  | { kind: 'turn_end'; id: number };
export type LimitReply =
  | { kind: 'taken'; id: number; results: readonly RateLimitResult[] }
  | { kind: 'turn'; id: number; isGranted: boolean };

/** Interval at which a waiting call looks whether its client has hung up. */
const GONE_CHECK_MS = 250;

/** Counts the rates of keys and the long calls of accounts for several processes, in their parent. */
export class LimitCounter {
  readonly #rates = memoryLimit();
  readonly #turns = memoryTurns();
  /** What ends the calls of each process, by their numbers. */
  readonly #calls = new Map<Worker, Map<number, () => void>>();

  /** Answers a message of a process. */
  async answer(worker: Worker, request: LimitRequest, reply: (reply: LimitReply) => void): Promise<void> {
    const { id } = request;
    if (request.kind === 'take') {
      const results: RateLimitResult[] = [];
      for (const { keyId, rate, calls } of request.requests)
        results.push(await this.#rates.take(keyId, rate, calls));
      reply({ kind: 'taken', id, results });
      return;
    }
    const calls = this.#calls.get(worker) ?? new Map<number, () => void>();
    this.#calls.set(worker, calls);
    if (request.kind === 'turn_end') {
      calls.get(id)?.();
      calls.delete(id);
      return;
    }
    let isOver = false;
    const over = new Promise<void>((resolve) => {
      calls.set(id, () => {
        isOver = true;
        resolve();
      });
    });
    const call = { account: request.account, isGone: () => isOver };
    try {
      await this.#turns.run(request.call, call, async () => {
        reply({ kind: 'turn', id, isGranted: true });
        await over;
      });
    } catch {
      calls.delete(id);
      reply({ kind: 'turn', id, isGranted: false });
    }
  }

  /** Ends the calls of a process that has ended. */
  forget(worker: Worker): void {
    for (const end of this.#calls.get(worker)?.values() ?? []) end();
    this.#calls.delete(worker);
  }
}

/** Limits of a process that its parent counts. */
export interface SharedLimits {
  rates: RateLimit;
  turns: AccountTurns;
}

/** Returns limits that the parent of this process counts. */
export function sharedLimits(send: (request: LimitRequest) => void): SharedLimits {
  let lastId = 0;
  const replies = new Map<number, (reply: LimitReply) => void>();
  process.on('message', (reply: LimitReply) => {
    if (reply.kind !== 'taken' && reply.kind !== 'turn') return;
    replies.get(reply.id)?.(reply);
    replies.delete(reply.id);
  });
  const request = <R extends LimitReply>(message: LimitRequest): Promise<R> =>
    new Promise((resolve) => {
      replies.set(message.id, (reply) => resolve(reply as R));
      send(message);
    });
  const take = gather(async (requests: RateRequest[]) => {
    const reply = await request<LimitReply & { kind: 'taken' }>({ kind: 'take', id: ++lastId, requests });
    return reply.results;
  });
  return {
    rates: {
      take: (keyId, rate, calls = 1) => take({ keyId, rate, calls }),
      close: async () => undefined,
    },
    turns: {
      async run(kind, call, work) {
        if (call.isGone()) throw clientGone();
        const id = ++lastId;
        let isGone = false;
        const end = (): void => send({ kind: 'turn_end', id });
        const check = setInterval(() => {
          if (!call.isGone()) return;
          isGone = true;
          clearInterval(check);
          end();
        }, GONE_CHECK_MS);
        const reply = await request<LimitReply & { kind: 'turn' }>({
          kind: 'turn',
          id,
          call: kind,
          account: call.account,
        });
        clearInterval(check);
        if (isGone) throw clientGone();
        if (!reply.isGranted) throw tooManyLong(kind);
        try {
          return await work();
        } finally {
          end();
        }
      },
    },
  };
}
