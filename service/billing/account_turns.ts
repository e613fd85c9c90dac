import { clientGone, type Refusal, rateLimited, unavailable } from '../http/refusal.ts';
import { AccountQueue, type QueuedCall } from './account_queue.ts';

/** Kinds of long calls. */
export type LongCall = 'as_of' | 'composed' | 'sandbox';

/** Maximum long calls of one account: in progress, and waiting. */
const LIMITS: Readonly<Record<LongCall, { atOnce: number; waitingMax: number }>> = {
  as_of: { atOnce: 2, waitingMax: 8 },
  composed: { atOnce: 1, waitingMax: 5 },
  // The account of the public key: its as-of reads and batches together.
  sandbox: { atOnce: 1, waitingMax: 0 },
};

/** Returns the refusal of a long call that is beyond the limits. The public key has a rate, which its long calls are part of. */
export const tooManyLong = (kind: LongCall): Refusal =>
  kind === 'sandbox' ? rateLimited(1) : unavailable('The account has too many long calls in progress.', 2);

/** Limits the long calls of each account, over all processes of the service. */
export interface AccountTurns {
  /** Runs `work` when the account may. @throws Refusal 503 or 429 if too many of its calls wait, 499 if the client has hung up */
  run<T>(kind: LongCall, call: QueuedCall, work: () => Promise<T>): Promise<T>;
}

/** Limits the long calls that this process knows. */
export function memoryTurns(): AccountTurns {
  const queues = new Map<string, { queue: AccountQueue; calls: number }>();
  return {
    async run(kind, call, work) {
      const name = `${kind} ${call.account}`;
      const { atOnce, waitingMax } = LIMITS[kind];
      const entry = queues.get(name) ?? {
        queue: new AccountQueue({ atOnce, waitingMax, waitingOfAccount: waitingMax }),
        calls: 0,
      };
      queues.set(name, entry);
      entry.calls++;
      let isRunning = false;
      try {
        return await entry.queue.run(call, () => {
          isRunning = true;
          return work();
        });
      } catch (error) {
        if (isRunning) throw error;
        throw call.isGone() ? clientGone() : tooManyLong(kind);
      } finally {
        if (--entry.calls === 0) queues.delete(name);
      }
    },
  };
}
