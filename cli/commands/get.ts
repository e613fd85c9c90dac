import { EtlError } from '../../schema/errors.ts';
import { ask, type Envelope } from '../../schema/read_contract/answer.ts';
import { ENDPOINTS } from '../../schema/read_contract/index.ts';
import { openServing } from '../../store/serving.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig } from '../load_config.ts';

/** Payloads of some endpoints for one property. */
export async function getPayloads(
  loaded: LoadedConfig,
  paths: readonly string[],
  gnafId: string,
): Promise<Record<string, Envelope<unknown>>> {
  const endpoints = paths.map((path) => {
    const found = ENDPOINTS.find((endpoint) => endpoint.path === path);
    if (found) return found;
    const known = ENDPOINTS.map((endpoint) => endpoint.path).join(', ');
    throw new EtlError('config_unknown_endpoint', `There is no endpoint ${path}. There are: ${known}.`);
  });
  return withDatabase(loaded.config, async (url) => {
    const db = openServing(url);
    try {
      const out: Record<string, Envelope<unknown>> = {};
      for (const endpoint of endpoints) out[endpoint.path] = await ask(endpoint, db, gnafId);
      return out;
    } finally {
      await db.destroy();
    }
  });
}

/** Prints the payload of an endpoint from the published tables. */
export async function getCommand(
  path: string,
  gnafId: string,
  flags: ConfigFlags & { json?: boolean },
): Promise<void> {
  const payloads = await getPayloads(await loadConfig(flags), [path], gnafId);
  process.stdout.write(`${JSON.stringify(payloads[path], null, flags.json ? 0 : 2)}\n`);
}
