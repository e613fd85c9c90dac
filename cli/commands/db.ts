import { maskUrl } from '../../store/system/mask_url.ts';
import { withDatabase } from '../database.ts';
import { loadConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { stopSignal } from '../stop_signal.ts';
import { type InspectFlags, withSetUp } from './inspect.ts';

/**
 * Keeps the embedded server running for other programs and prints its URL with the password: it listens on this machine only. For a
 * configured server, prints the URL without the password.
 */
export async function dbCommand(flags: InspectFlags): Promise<void> {
  const { config } = await loadConfig(flags);
  const signalled = stopSignal();
  await withDatabase(
    config,
    async (url) => {
      await withSetUp(url, config, async () => undefined);
      const masked = config.database.url === null ? url : maskUrl(url);
      printLine(flags.json ? JSON.stringify({ url: masked }) : masked);
      await signalled;
    },
    Infinity,
  );
}
