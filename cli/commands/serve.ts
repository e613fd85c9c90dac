import { boundedHealth, health } from '../../ops/health.ts';
import { type Service, startService } from '../../service/server.ts';
import { openPool } from '../../store/database.ts';
import { withDatabase } from '../database.ts';
import { loadConfig } from '../load_config.ts';
import { openLog } from '../log.ts';
import { printLine } from '../print.ts';
import { stopSignal } from '../stop_signal.ts';
import { type Flags, withSetUp } from './inspect.ts';

/** What people read when the service listens. */
const greeting = ({ base_url, sandbox_key, mcp_url }: Service): string =>
  [
    `The service listens on ${base_url}: open it in a browser to try every call.`,
    `  sandbox key  ${sandbox_key}`,
    `  MCP          ${mcp_url}`,
    `  for example  curl -H 'Authorization: Bearer ${sandbox_key}' ${base_url}/v1/me`,
  ].join('\n');

/** Serves the read contract until it is signalled. The embedded server runs for as long. */
export async function serveCommand(flags: Flags & { host?: string; port?: string }): Promise<void> {
  const set = [...(flags.set ?? [])];
  if (flags.host !== undefined) set.push(`service.host=${flags.host}`);
  if (flags.port !== undefined) set.push(`service.port=${flags.port}`);
  const { config } = await loadConfig({ ...flags, set });
  const signalled = stopSignal();
  const log = openLog(config.log.level);
  await withDatabase(
    config,
    async (url) => {
      await withSetUp(url, config, async () => undefined);
      const books = openPool(url, 1);
      const look = boundedHealth(async () => {
        const client = await books.connect();
        try {
          return await health(client, config.ops.fresh_h);
        } finally {
          client.release();
        }
      });
      try {
        const service = await startService(url, config, {
          ready: async () => {
            const { status, reasons } = await look();
            return { ok: status === 'ok', reasons };
          },
          onError: (line) => log.error(line, 'a call failed'),
          ...(config.log.format === 'json' ? { onAccess: (record) => log.info(record, 'call') } : {}),
        });
        const { base_url, sandbox_key, mcp_url } = service;
        printLine(flags.json ? JSON.stringify({ base_url, sandbox_key, mcp_url }) : greeting(service));
        await signalled;
        await service.close();
      } finally {
        await books.end();
      }
    },
    Infinity,
  );
}
