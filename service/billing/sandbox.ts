import { find } from '../../contract/answers/ask.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { suburbFinder } from '../../contract/finder/suburb_finder.ts';
import { changes } from '../../contract/property/changes.ts';
import { regionCensus } from '../../contract/regions/region_census.ts';
import { regionList } from '../../contract/regions/region_list.ts';
import { sandboxSample, servedAddress } from '../../contract/service/service.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { Queryable } from '../../store/accounts/accounts.ts';
import { pinnedSamples, pinSamples, type SandboxSample } from '../../store/accounts/sandbox_samples.ts';
import { outsideSandbox } from '../http/refusal.ts';
import type { ParsedRequest, ServiceAnswer, ServiceOperation } from '../operation.ts';

/** A sample with the address of its property. */
interface ServedSample extends SandboxSample {
  address: string;
}

/** Samples that the sandbox key can read. */
export interface Samples {
  list: readonly ServedSample[];
  properties: ReadonlySet<string>;
  suburbs: ReadonlySet<string>;
}

/** Key of a suburb's name, ignoring case. */
const nameKey = (name: string): string => name.trim().toLowerCase();

const samplesOf = (list: readonly ServedSample[]): Samples => ({
  list,
  properties: new Set(list.map(({ gnaf_pid }) => gnaf_pid)),
  suburbs: new Set(list.map(({ sal }) => nameKey(sal))),
});

/** Reads the pinned samples: those that are served, and those that are not. */
async function readPinned(
  accounts: Queryable,
  db: Serving,
): Promise<{ served: ServedSample[]; replaced: SandboxSample[] }> {
  const served: ServedSample[] = [];
  const replaced: SandboxSample[] = [];
  for (const sample of await pinnedSamples(accounts)) {
    const address = await servedAddress(db, sample.gnaf_pid, sample.sal);
    if (address === null) replaced.push(sample);
    else served.push({ ...sample, address });
  }
  return { served, replaced };
}

/**
 * Chooses the samples of the installation. They stay the same across publications until one is no longer served. States without a sample
 * take the tables' proposal.
 */
export async function choose(accounts: Queryable, db: Serving): Promise<Samples> {
  const { served, replaced } = await readPinned(accounts, db);
  const states = new Set(served.map(({ state }) => state));
  const proposed = (await find(sandboxSample, db)).filter(({ state }) => !states.has(state));
  if (proposed.length === 0) return samplesOf(served);
  await pinSamples(accounts, proposed, replaced);
  return samplesOf((await readPinned(accounts, db)).served);
}

/** Maximum properties in one call of the sandbox key; there is one sample for each state. */
const IDS_MAX = 10;

type RequestParams = Readonly<Record<string, unknown>>;
const textsOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

/** True if a request names only samples. An address is checked after it is matched. */
export function isInside(
  { list, properties, suburbs }: Samples,
  operation: ServiceOperation,
  parsed: ParsedRequest,
): boolean {
  const {
    level,
    id,
    ids,
    addresses,
    suburb,
    suburbs: named,
    regions,
    neighbors,
  } = parsed.params as RequestParams;
  const isOther = level !== undefined && level !== 'SAL' && operation.path !== regionList.path;
  if (isOther || addresses !== undefined) return false;
  if (Array.isArray(ids) && ids.length > IDS_MAX) return false;
  if (neighbors === true || (Array.isArray(regions) && regions.length > 0)) return false;
  const of = operation.id;
  const pids = [
    ...(of?.name === 'gnaf_id' ? [parsed.id] : []),
    ...textsOf(id),
    ...(Array.isArray(ids) ? (ids as string[]) : []),
  ];
  const names = [
    ...(of?.name === 'suburb_name' ? [parsed.id] : []),
    ...textsOf(suburb),
    ...(Array.isArray(named) ? (named as string[]) : []),
  ];
  if (list.length === 0) return operation.path !== changes.path && pids.length + names.length === 0;
  return pids.every((pid) => properties.has(pid)) && names.every((name) => suburbs.has(nameKey(name)));
}

/** Maximum entries in one answer to the sandbox key. */
const LIMIT_MAX = 50;

/** Parameters that restrict a search of the sandbox key to samples, by path. */
const ONLY: Readonly<Record<string, (samples: Samples, params: RequestParams) => RequestParams>> = {
  [propertyFinder.path]: ({ properties }) => ({ only: [...properties] }),
  [suburbFinder.path]: ({ list }) => ({ only: list.map(({ sal }) => sal) }),
  [regionCensus.path]: ({ list }) => ({ only: list.map(({ sal }) => sal) }),
  [changes.path]: ({ list, properties }, { ids, suburbs }) =>
    [ids, suburbs].flat().length > 0 ? {} : { ids: [...properties], suburbs: list.map(({ sal }) => sal) },
};

/** Restricts a request of the sandbox key: short lists, and only samples in searches. */
export function limited(samples: Samples, { path }: ServiceOperation, parsed: ParsedRequest): ParsedRequest {
  const { limit } = parsed.params;
  const isShort = typeof limit !== 'number' || limit <= LIMIT_MAX;
  return {
    ...parsed,
    params: {
      ...parsed.params,
      ...(isShort ? {} : { limit: LIMIT_MAX }),
      ...ONLY[path]?.(samples, parsed.params),
    },
  };
}

/** Returns a rate card at which the sandbox key pays nothing. */
export const freeCard = (card: RateCard): RateCard => ({
  ...card,
  prices: Object.fromEntries(Object.keys(card.prices).map((path) => [path, 0])),
});

/** Message of an answer that leaves something out. */
const LEFT_OUT = 'Other homes and suburbs are left out: the sandbox key reads only its samples.';

/** An answer to the sandbox key, and the number of other homes and suburbs that it leaves out. */
interface SandboxAnswer {
  answer: ServiceAnswer;
  leftOut: number;
}

type Entry = Readonly<Record<string, unknown>>;

/** Returns the field of an entry that names a suburb in the results of a search. */
const suburbField = ({ path }: ServiceOperation, { level }: RequestParams): string =>
  path === regionList.path && level === 'SAL' ? 'name' : 'suburb_name';

/**
 * Leaves other homes and suburbs out of an answer to the sandbox key: what a search finds must be samples, and so must every home with an
 * estimate. Homes and suburbs around a sample stay as facts about it: neighbours, comparable sales, sales of its suburb.
 * @throws Refusal 403 if an address means another home, or a search finds only others
 */
export function onlySamples(
  { properties, suburbs }: Samples,
  operation: ServiceOperation,
  parsed: ParsedRequest,
  answer: ServiceAnswer,
): SandboxAnswer {
  const params = parsed.params as RequestParams;
  const isSearch =
    operation.composed === undefined &&
    operation.subject === null &&
    ['id', 'ids', 'address', 'suburb'].every((name) => params[name] === undefined);
  const name = suburbField(operation, params);
  let remaining = 0;
  let leftOut = 0;
  const isOther = (entry: Entry, list: string): boolean => {
    const isFound = isSearch || list === 'candidates';
    const { gnaf_pid: pid, [name]: suburb } = entry;
    if (typeof pid === 'string' && (isFound || 'predicted_price' in entry)) return !properties.has(pid);
    return isSearch && typeof suburb === 'string' && !suburbs.has(nameKey(suburb));
  };
  const samplesIn = (value: unknown, list: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, samplesIn(inner, key)]));
    const entries = value.filter((entry) => !isOther(Object(entry) as Entry, list));
    remaining += entries.length;
    leftOut += value.length - entries.length;
    return entries.map((entry) => samplesIn(entry, list));
  };
  const { composed } = answer;
  const body = samplesIn(answer.body, '');
  const reduced: ServiceAnswer = {
    ...answer,
    body:
      leftOut > 0 && operation.family === 'A' && body !== null
        ? { ...(body as object), message: LEFT_OUT }
        : body,
    ...(composed && {
      composed: {
        ...composed,
        lines: composed.lines.map((line) => JSON.stringify(samplesIn(JSON.parse(line), ''))),
      },
    }),
  };
  const isOfOthers = isSearch && leftOut > 0 && remaining === 0;
  if (isOfOthers || !meansSample(properties, params, answer)) throw outsideSandbox();
  return { answer: reduced, leftOut };
}

/** True if an address matched a sample, or there is none. */
function meansSample(
  properties: Samples['properties'],
  { address }: RequestParams,
  { body }: ServiceAnswer,
): boolean {
  if (typeof address !== 'string') return true;
  const answer = body as { data?: unknown; gnaf_pid?: unknown } | null;
  const subject = 'gnaf_pid' in (answer ?? {}) ? answer : (answer?.data as typeof answer);
  const pid = subject?.gnaf_pid;
  return typeof pid === 'string' && properties.has(pid);
}
