import { describe, expect, it } from 'vitest';
import { AccountQueue } from '../../service/billing/account_queue.ts';

/** A queue whose work ends when the test says so. */
function held(limits = { atOnce: 1, waitingMax: 16, waitingOfAccount: 5 }) {
  const queue = new AccountQueue(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const gone = new Set<string>();
  const call = (account: number, name: string): Promise<unknown> =>
    queue
      .run({ account, isGone: () => gone.has(name) }, () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .catch((error: { status: number }) => error.status);
  const endOne = async (): Promise<void> => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { call, endOne, started, gone };
}

describe('the queue of long reads', () => {
  it('takes the accounts in turn, and the calls of one in order', async () => {
    const { call, endOne, started } = held();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void call(1, name);
    for (const name of ['b1', 'b2']) void call(2, name);
    void call(3, 'c1');
    for (let i = 0; i < 6; i++) await endOne();
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('never exceeds its limit of concurrent reads, even if a call arrives as another ends', async () => {
    const { call, endOne, started } = held({ atOnce: 2, waitingMax: 16, waitingOfAccount: 16 });
    for (let i = 0; i < 6; i++) void call(i, `w${i}`);
    expect(started).toHaveLength(2);
    const ending = endOne();
    void call(9, 'late');
    await ending;
    expect(started).toHaveLength(3);
  });

  it('refuses an account that holds its share, and everybody when it is full', async () => {
    const { call } = held({ atOnce: 1, waitingMax: 4, waitingOfAccount: 2 });
    void call(1, 'a1');
    void call(1, 'a2');
    void call(1, 'a3');
    expect(await call(1, 'a4')).toBe(503);
    void call(2, 'b1');
    void call(2, 'b2');
    expect(await call(3, 'c1')).toBe(503);
  });

  it('drops a call whose client has hung up: no work, and no place in the queue', async () => {
    const { call, endOne, started, gone } = held({ atOnce: 1, waitingMax: 2, waitingOfAccount: 2 });
    void call(1, 'a1');
    const second = call(1, 'a2');
    const third = call(1, 'a3');
    gone.add('a2');
    gone.add('a3');
    // The queue was full of calls that nobody waits for.
    void call(2, 'b1');
    expect(await Promise.all([second, third])).toEqual([499, 499]);
    await endOne();
    expect(started).toEqual(['a1', 'b1']);
    gone.add('late');
    expect(await call(3, 'late')).toBe(499);
  });
});
