import { closest } from 'fastest-levenshtein';
import type { Envelope } from '../../contract/answers/answer.ts';
import { answerOf, ask, readParams } from '../../contract/answers/ask.ts';
import type { AnyOperation } from '../../contract/answers/operation.ts';
import { WrongParameters } from '../../contract/answers/parameter_errors.ts';
import { ENDPOINTS, SEARCHES } from '../../contract/index.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { CANDIDATE_SCHEMA, withCandidate } from '../../store/journal/candidate.ts';
import { readAsOf } from '../../store/read/past_serving.ts';
import { openServing, servingIn } from '../../store/read/serving.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig } from '../load_config.ts';
import { type MomentFlags, momentFlag, type ReadMoment } from '../moment.ts';
import { printLine, printStatus } from '../print.ts';
import { suggestRegions } from '../suggest_regions.ts';
import { withConfiguredClient } from './inspect.ts';

/** Query parameters of a request: texts by name. */
export type QueryParameters = Readonly<Record<string, unknown>>;

interface GetFlags extends ConfigFlags, MomentFlags {
  json?: boolean;
  radius_m?: string;
  geojson?: boolean;
  level?: string;
  query?: string[];
}

function endpointAt(path: string): AnyOperation {
  const endpoint = ENDPOINTS.find(({ subpath }) => subpath === path);
  if (endpoint) return endpoint;
  const paths = [...ENDPOINTS, ...SEARCHES].map(({ subpath }) => subpath.replace(/^\/api\//, ''));
  throw new EtlError(
    'config_unknown_endpoint',
    `No endpoint ${path}. Did you mean ${closest(path, paths)}? get endpoints lists them all.`,
  );
}

/** Reads payloads of endpoints for one property or suburb, from the served or an earlier publication. */
export async function getPayloads(
  loaded: LoadedConfig,
  paths: readonly string[],
  id: string,
  query: QueryParameters = {},
  moment: ReadMoment = null,
): Promise<Record<string, Envelope<unknown>>> {
  const endpoints = paths.map(endpointAt);
  for (const endpoint of endpoints) {
    const parsed = readParams(endpoint, query);
    if ('detail' in parsed) {
      const wrong = parsed.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('; ');
      throw new EtlError('config_invalid', `${endpoint.subpath}: ${wrong}`, {
        details: { detail: parsed.detail },
      });
    }
  }
  return reading(loaded, moment, async (db) => {
    const out: Record<string, Envelope<unknown>> = {};
    for (const endpoint of endpoints) out[endpoint.subpath] = await ask(endpoint, db, id, query);
    return out;
  });
}

/** Code of PostgreSQL for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/** Runs `read` on the published tables, the tables as of a publication, or the candidate. */
async function reading<T>(
  loaded: LoadedConfig,
  moment: ReadMoment,
  readPayload: (db: Serving) => Promise<T>,
): Promise<T> {
  if (moment !== null)
    return withConfiguredClient(loaded.config, (client) =>
      moment === 'candidate'
        ? withCandidate(client, () => readPayload(servingIn(client, CANDIDATE_SCHEMA)))
        : readAsOf(client, moment, readPayload),
    );
  return withDatabase(loaded.config, async (url) => {
    const db = openServing(url);
    try {
      return await readPayload(db);
    } catch (error) {
      if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
      throw new EtlError('unknown_publication', 'Nothing is published: the database has no serving tables.', {
        cause: error,
      });
    } finally {
      await db.destroy();
    }
  });
}

/** Finds a search by path, with or without `/api/`. Undefined: none. */
const searchAt = (path: string): AnyOperation | undefined =>
  SEARCHES.find((search) => search.path === path || search.path === `/api/${path}`);

/** Answers a search from the served or an earlier publication. */
export async function getSearch(
  loaded: LoadedConfig,
  search: AnyOperation,
  query: QueryParameters,
  moment: ReadMoment = null,
): Promise<unknown> {
  const refused = (wrong: WrongParameters) =>
    new EtlError('config_invalid', `${search.path}: ${wrong.message}`, { details: { detail: wrong.detail } });
  const parsed = readParams(search, query);
  if ('detail' in parsed) throw refused(new WrongParameters(...parsed.detail));
  if (typeof moment === 'number' && !search.hasAsOf)
    throw new EtlError('config_invalid', `${search.path} shows only the current state: remove --as-of.`);
  const answer = reading(loaded, moment, (db) => answerOf(search, db, '', parsed.params));
  return answer
    .then(({ body }) => body)
    .catch((error: unknown) => {
      throw error instanceof WrongParameters ? refused(error) : error;
    });
}

/** Builds query parameters from the command's flags. */
function queryOf({ radius_m, geojson, level, query = [] }: GetFlags): QueryParameters {
  const pairs = query.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new EtlError('config_invalid', `--query ${text}: write it as name=value.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return {
    ...(radius_m === undefined ? {} : { radius_m }),
    ...(geojson ? { geojson } : {}),
    ...(level === undefined ? {} : { level }),
    ...Object.fromEntries(pairs),
  };
}

/** Prints the payload of an endpoint from the published tables. `endpoints` lists them. */
export async function getCommand(path: string, id: string | undefined, flags: GetFlags): Promise<void> {
  if (path === 'endpoints') {
    for (const { subpath, subject } of ENDPOINTS) printLine(`${subpath}\t${subject}`);
    for (const { path: each } of SEARCHES) printLine(`${each}\tparameters`);
    return;
  }
  const moment = momentFlag(flags);
  const search = searchAt(path);
  if (search !== undefined) {
    const answer = await getSearch(await loadConfig(flags), search, queryOf(flags), moment);
    printLine(JSON.stringify(answer, null, flags.json ? 0 : 2));
    return;
  }
  const endpoint = endpointAt(path);
  if (id === undefined) {
    const what =
      endpoint.subject === 'suburb'
        ? 'the SAL name of a suburb, or with --level the code or name of a region'
        : 'the gnaf_pid of a property';
    throw new EtlError('config_invalid', `${path} needs ${what}.`);
  }
  const [loaded, query] = [await loadConfig(flags), queryOf(flags)];
  const payloads = await getPayloads(loaded, [path], id, query, moment);
  const payload = payloads[path]!;
  printLine(JSON.stringify(payload, null, flags.json ? 0 : 2));
  if (!('no_data' in payload) || !/^unknown_(suburb|region)$/.test(payload.no_data)) return;
  const near = await reading(loaded, moment, (db) => suggestRegions(db, String(query.level ?? 'SAL'), id));
  if (near.length > 0) printStatus(`Did you mean ${near.join(', or ')}?`);
}
