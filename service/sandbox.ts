import { find } from '../contract/ask.ts';
import { changes } from '../contract/changes.ts';
import { propertyFinder } from '../contract/finder/property_finder.ts';
import { suburbFinder } from '../contract/finder/suburb_finder.ts';
import { regionCensus } from '../contract/region_census.ts';
import { regionList } from '../contract/region_list.ts';
import { areServed, sandboxSample } from '../contract/service.ts';
import type { Serving } from '../schema/serving/database.ts';
import type { Queryable } from '../store/accounts/accounts.ts';
import { pinnedSamples, pinSamples, type SandboxSample } from '../store/accounts/sandbox_samples.ts';
import type { ParsedRequest, ServiceAnswer, ServiceOperation } from './operation.ts';

/** Samples that the sandbox key can read. */
export interface Samples {
  list: readonly SandboxSample[];
  properties: ReadonlySet<string>;
  suburbs: ReadonlySet<string>;
}

/** Key of a suburb's name, ignoring case. */
const nameKey = (name: string): string => name.trim().toLowerCase();

const samplesOf = (list: readonly SandboxSample[]): Samples => ({
  list,
  properties: new Set(list.map(({ gnaf_pid }) => gnaf_pid)),
  suburbs: new Set(list.map(({ sal }) => nameKey(sal))),
});

/**
 * Chooses the samples of the installation. They stay the same across publications until one is no longer served. States without a sample
 * take the tables' proposal.
 */
export async function choose(accounts: Queryable, db: Serving): Promise<Samples> {
  const pinned = await pinnedSamples(accounts);
  const kept: SandboxSample[] = [];
  const gone: SandboxSample[] = [];
  for (const sample of pinned)
    ((await areServed(db, sample.gnaf_pid, sample.sal)) ? kept : gone).push(sample);
  const states = new Set(kept.map(({ state }) => state));
  const proposed = (await find(sandboxSample, db)).filter(({ state }) => !states.has(state));
  if (proposed.length === 0) return samplesOf(kept);
  await pinSamples(accounts, proposed, gone);
  return samplesOf(await pinnedSamples(accounts));
}

/** Maximum properties in one call of the sandbox key; there is one sample for each state. */
const IDS_MAX = 10;

type RequestParams = Readonly<Record<string, unknown>>;
const textsOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

/** True if a request names only samples. An address is checked after it is matched. */
export function isInside(
  { list, properties, suburbs }: Samples,
  operation: ServiceOperation,
  read: ParsedRequest,
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
  } = read.params as RequestParams;
  const isOther = level !== undefined && level !== 'SAL' && operation.path !== regionList.path;
  if (isOther || addresses !== undefined) return false;
  if (Array.isArray(ids) && ids.length > IDS_MAX) return false;
  if (neighbors === true || (Array.isArray(regions) && regions.length > 0)) return false;
  const of = operation.id;
  const pids = [
    ...(of?.name === 'gnaf_id' ? [read.id] : []),
    ...textsOf(id),
    ...(Array.isArray(ids) ? (ids as string[]) : []),
  ];
  const names = [
    ...(of?.name === 'suburb_name' ? [read.id] : []),
    ...textsOf(suburb),
    ...(Array.isArray(named) ? (named as string[]) : []),
  ];
  if (operation.path === changes.path && pids.length + names.length === 0) return false;
  if (list.length === 0) return pids.length + names.length === 0;
  return pids.every((pid) => properties.has(pid)) && names.every((name) => suburbs.has(nameKey(name)));
}

/** Maximum entries in one answer to the sandbox key. */
const LIMIT_MAX = 50;

/** Samples that a search of the sandbox key finds, by path. */
const ONLY: Readonly<Record<string, (samples: Samples) => readonly string[]>> = {
  [propertyFinder.path]: ({ properties }) => [...properties],
  [suburbFinder.path]: ({ list }) => list.map(({ sal }) => sal),
  [regionCensus.path]: ({ list }) => list.map(({ sal }) => sal),
};

/** Restricts a request of the sandbox key: short lists, and only samples in searches. */
export function limited(samples: Samples, { path }: ServiceOperation, read: ParsedRequest): ParsedRequest {
  const { limit } = read.params;
  const only = ONLY[path]?.(samples);
  const isShort = typeof limit !== 'number' || limit <= LIMIT_MAX;
  return {
    ...read,
    params: {
      ...read.params,
      ...(isShort ? {} : { limit: LIMIT_MAX }),
      ...(only === undefined ? {} : { only }),
    },
  };
}

/** True if an address matched a sample. No match is allowed too. */
export function meansSample({ properties }: Samples, read: ParsedRequest, { body }: ServiceAnswer): boolean {
  if (typeof (read.params as RequestParams).address !== 'string') return true;
  const answer = body as { data?: unknown; gnaf_pid?: unknown } | null;
  const found = 'gnaf_pid' in (answer ?? {}) ? answer : (answer?.data as typeof answer);
  const pid = found?.gnaf_pid;
  return typeof pid === 'string' && properties.has(pid);
}
