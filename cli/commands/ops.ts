import { startOps } from '../../ops/server.ts';
import { watchOverdueRuns } from '../../pipelines/notify/overdue.ts';
import { withDatabase } from '../database.ts';
import { loadConfig } from '../load_config.ts';
import { printLine, printStatus } from '../print.ts';
import { stopSignal } from '../stop_signal.ts';
import { type InspectFlags, withSetUp } from './inspect.ts';

/** Serves the operations pages until it is signalled, and keeps the embedded server running. */
export async function opsCommand(flags: InspectFlags & { host?: string; port?: string }): Promise<void> {
  const set = [...(flags.set ?? [])];
  if (flags.host !== undefined) set.push(`ops.host=${flags.host}`);
  if (flags.port !== undefined) set.push(`ops.port=${flags.port}`);
  const { config } = await loadConfig({ ...flags, set });
  const signalled = stopSignal();
  await withDatabase(
    config,
    async (url) => {
      await withSetUp(url, config, async () => undefined);
      const server = await startOps(url, config);
      printLine(flags.json ? JSON.stringify({ url: server.url }) : `ops listens on ${server.url}`);
      const stopWatching = watchOverdueRuns(url, config, (failure) => printStatus(`warning: ${failure}`));
      await signalled;
      await stopWatching.close();
      await server.close();
    },
    Infinity,
  );
}
