/** Bytes that a server must send in each second of the watch, on average. */
const BYTES_PER_S = 1024;

/** Watches one answer. */
export interface StallWatch {
  /** Ends the request when it stalls, or when the caller wants it ended. */
  signal: AbortSignal;
  /** Bytes have arrived. */
  count(bytes: number): void;
  stalled(): boolean;
  /** Stops watching. */
  end(): void;
}

/**
 * Watches that a server keeps sending: in each window of `stall_s` seconds something must arrive, and in all but the
 * first, which includes the wait for the answer, 1 KiB for each second.
 */
export function startWatch(stall_s: number, outer: AbortSignal | undefined): StallWatch {
  const controller = new AbortController();
  let bytes = 0;
  let isFirst = true;
  let stalled = false;
  const timer = setInterval(() => {
    if (bytes < (isFirst ? 1 : BYTES_PER_S * stall_s)) {
      stalled = true;
      clearInterval(timer);
      controller.abort();
    }
    bytes = 0;
    isFirst = false;
  }, stall_s * 1000);
  const onAbort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    count: (n) => {
      bytes += n;
    },
    stalled: () => stalled,
    end: () => {
      clearInterval(timer);
      outer?.removeEventListener('abort', onAbort);
    },
  };
}
