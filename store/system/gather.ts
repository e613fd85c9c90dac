/**
 * Batches concurrent calls: an item waits while work is in progress, and joins the next batch. So every item is read or written by work
 * that began after its call, and a busy service queries the database little more often than an idle one.
 */
export function gather<I, O>(
  work: (items: I[]) => Promise<readonly O[]>,
  most = 256,
): (item: I) => Promise<O> {
  let queue: { item: I; resolve: (value: O) => void; reject: (error: unknown) => void }[] = [];
  let busy = false;
  const next = async (): Promise<void> => {
    const batch = queue.slice(0, most);
    queue = queue.slice(most);
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    if (queue.length > 0) void next();
    else busy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      // Other calls of the same turn join the batch.
      setImmediate(next);
    });
}

/** Shares one read between concurrent callers; each gets a read that began after its call. */
export function shared<T>(run: () => Promise<T>): () => Promise<T> {
  const one = gather<null, T>(async (items) => {
    const value = await run();
    return items.map(() => value);
  });
  return () => one(null);
}
