import { resolve } from 'node:path';
import { boundedHealth, health } from '../../pipelines/views/health.ts';
import {
  isOneOfSeveral,
  limitsOfAll,
  metricsOfAll,
  reportFailure,
  reportReady,
  type ServeTask,
  startProcesses,
  takeTask,
} from '../../service/processes.ts';
import { type Service, type ServiceHooks, startService } from '../../service/server.ts';
import { checkSessions, openPool, serverVersion } from '../../store/database.ts';
import { missingReleases } from '../../store/system/security_releases.ts';
import { withDatabase } from '../database.ts';
import { EXIT } from '../exit.ts';
import { loadConfig } from '../load_config.ts';
import { openLog } from '../log.ts';
import { printLine, printStatus } from '../print.ts';
import { stopSignal } from '../stop_signal.ts';
import { type InspectFlags, withSetUp } from './inspect.ts';

/** Text to print when the service listens. */
const greeting = ({ base_url, sandbox_key, mcp_url }: Service): string =>
  [
    `The service listens on ${base_url}: open it in a browser to try every call.`,
    `  sandbox key  ${sandbox_key}`,
    `  MCP          ${mcp_url}`,
    `  for example  curl -H 'Authorization: Bearer ${sandbox_key}' ${base_url}/v1/me`,
  ].join('\n');

/** Seconds after which a health probe replaces its connection. */
const PROBE_S = 5;

/** Serves in this process until `stopped`. Calls `onReady` with the URLs. */
async function serveHere(
  { url, config }: ServeTask,
  stopped: Promise<void>,
  onReady: (service: Service) => void,
  extra: ServiceHooks = {},
): Promise<void> {
  const log = openLog(config.log.level);
  const healthPool = openPool(url, 1, { answer_s: PROBE_S });
  const look = boundedHealth(async () => {
    const client = await healthPool.connect();
    try {
      return await health(client, config.ops.fresh_h);
    } finally {
      client.release();
    }
  });
  try {
    const service = await startService(url, config, {
      pipeline: async () => {
        const { status, reasons } = await look();
        return { status, reasons };
      },
      onError: (line) => log.error(line, 'a call failed'),
      ...(config.log.format === 'json' ? { onAccess: (record) => log.info(record, 'call') } : {}),
      ...extra,
    });
    onReady(service);
    await stopped;
    await service.close();
  } finally {
    await healthPool.end();
  }
}

/** Runs one of several service processes: takes its task from the parent and serves until the parent stops it. */
async function serveAsOne(signalled: Promise<void>): Promise<void> {
  const { task, closed } = takeTask();
  try {
    await serveHere(await task, Promise.race([signalled, closed]), reportReady, {
      metrics: metricsOfAll,
      limits: limitsOfAll(),
    });
  } catch (error) {
    reportFailure(error as Error);
    process.exitCode = EXIT.failed;
  } finally {
    process.disconnect();
  }
}

/** Serves the read contract until it is signalled, and keeps the embedded server running. */
export async function serveCommand(
  flags: InspectFlags & { host?: string; port?: string; processes?: string },
): Promise<void> {
  const signalled = stopSignal();
  if (isOneOfSeveral()) return serveAsOne(signalled);
  const set = [...(flags.set ?? [])];
  for (const name of ['host', 'port', 'processes'] as const)
    if (flags[name] !== undefined) set.push(`service.${name}=${flags[name]}`);
  const loaded = await loadConfig({ ...flags, set });
  const { exports } = loaded.config.service;
  const folder = exports === null ? null : resolve(loaded.base, exports);
  const config = { ...loaded.config, service: { ...loaded.config.service, exports: folder } };
  const print = (service: Service): void => {
    const { base_url, sandbox_key, mcp_url } = service;
    printLine(flags.json ? JSON.stringify({ base_url, sandbox_key, mcp_url }) : greeting(service));
  };
  await withDatabase(
    config,
    async (url) => {
      await checkSessions(url);
      const missing = await withSetUp(url, config, async (client) =>
        missingReleases((await serverVersion(client)).number),
      );
      if (missing !== null) printStatus(`warning: ${missing}`);
      if (config.service.processes === 1) return serveHere({ url, config }, signalled, print);
      const log = openLog(config.log.level);
      const service = await startProcesses({ url, config }, (message) => log.warn({}, message));
      print(service);
      await signalled;
      return service.close();
    },
    Infinity,
  );
}
