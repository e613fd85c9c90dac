import { EXIT } from './exit.ts';

/** Settles at the first SIGINT or SIGTERM; the second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (): void => {
      if (isStopping) process.exit(EXIT.interrupted);
      isStopping = true;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal);
      process.on(signal, onSignal);
    }
  });
}
