/** Minimum average bytes that a server must send in each second. */
const BYTES_PER_S = 1024;

export interface StallWatch {
  /** Aborts the request if it stalls or the caller aborts. */
  signal: AbortSignal;
  count(bytes: number): void;
  stalled(): boolean;
  /** Stops watching. */
  end(): void;
}

/**
 * Checks that a server keeps sending. In every window of `stall_s` seconds at least a byte must arrive, and after the first window, which
 * includes the wait for the response, 1 KiB for each second.
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
