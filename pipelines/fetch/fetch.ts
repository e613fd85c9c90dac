import { closest } from 'fastest-levenshtein';
import pLimit from 'p-limit';
import type { DatasetSettings } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { adapterNamed } from '../../sources/index.ts';
import { checkLicence } from '../ingest/configured.ts';
import { type FetchResult, type FetchSetting, fetchDataset } from './fetch_dataset.ts';
import { openHttp } from './http.ts';
import { guardedLookup } from './public_lookup.ts';

/** Maximum datasets fetched concurrently. */
const AT_ONCE = 3;

/** A dataset that could not be fetched. */
export interface FetchFailure {
  dataset: string;
  action: 'failed';
  code: string;
  message: string;
}

/**
 * Returns the datasets to fetch: the named ones, or all that can be fetched. With `dueOnly` there may be none. @throws EtlError
 * config_not_fetchable
 */
function wantedDatasets(
  datasets: Readonly<Record<string, DatasetSettings>>,
  names: readonly string[],
  dueOnly: boolean,
): string[] {
  const fetchable = Object.keys(datasets).filter((id) => datasets[id]!.fetch !== undefined);
  for (const name of names) {
    if (fetchable.includes(name)) continue;
    const near = fetchable.length > 0 ? ` Did you mean ${closest(name, fetchable)}?` : '';
    const what = name in datasets ? `has no fetch.url or fetch.ckan` : `is not in the configuration`;
    throw new EtlError('config_not_fetchable', `Dataset ${name} ${what}.${name in datasets ? '' : near}`);
  }
  if (fetchable.length === 0 && !dueOnly)
    throw new EtlError(
      'config_not_fetchable',
      'No dataset in the configuration has a download address (datasets.<name>.fetch). config/national.yaml has examples.',
    );
  return names.length > 0 ? [...new Set(names)] : fetchable;
}

async function fetchOne(id: string, setting: FetchSetting): Promise<FetchResult | FetchFailure> {
  const settings = setting.config.datasets[id]!;
  try {
    checkLicence(id, adapterNamed(settings.adapter), settings);
    return await fetchDataset(id, settings.fetch!, setting);
  } catch (error) {
    if (!(error instanceof EtlError)) throw error;
    const landing = settings.fetch?.landing;
    const hint = landing && error.code !== 'fetch_locked' ? ` The publisher's page: ${landing}` : '';
    return { dataset: id, action: 'failed', code: error.code, message: `${error.message}${hint}` };
  }
}

/**
 * Fetches the newest releases of datasets; without names, of all with a download address. A failure does not stop the others.
 * @returns one result for each, in the order of the names or of the configuration
 * @throws EtlError config_not_fetchable
 */
export async function fetchDatasets(
  names: readonly string[],
  setting: Omit<FetchSetting, 'http'>,
): Promise<(FetchResult | FetchFailure)[]> {
  const wantedIds = wantedDatasets(setting.config.datasets, names, setting.dueOnly);
  const { private_addresses } = setting.config.downloads;
  const http = openHttp(setting.env, guardedLookup(private_addresses), private_addresses);
  const atOnce = pLimit(AT_ONCE);
  try {
    const results = await Promise.allSettled(
      wantedIds.map((id) => atOnce(() => fetchOne(id, { ...setting, http }))),
    );
    return results.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  } finally {
    await http.close();
  }
}
