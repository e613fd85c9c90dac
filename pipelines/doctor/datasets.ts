import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config, DatasetSettings } from '../../schema/config.ts';
import type { Part, Release, ReleaseFile, SourceAdapter } from '../../sources/adapter.ts';
import { assumedDatum } from '../../sources/formats/vector/settle_crs.ts';
import { adapterNamed } from '../../sources/index.ts';
import { findFiles, stampOf } from '../../store/loads/files.ts';
import { checkLicence, checkSettings, licenceOf } from '../ingest/configured.ts';
import { pathsOf } from '../ingest/fetched_paths.ts';
import { checkReadable } from '../ingest/readable.ts';
import { gnafNotes } from '../recognise/roles.ts';
import { attempt, type Check, type CheckResult, pass, size, some, warn } from './check.ts';

/** Maximum notes shown for a release. */
const MAX_NOTES = 6;

function crsText(
  { applied, stated, overridden, datum_assumed }: Release['crs'],
  configured: string | null,
): string {
  if (datum_assumed) return assumedDatum(stated ?? applied);
  if (overridden && stated !== null) return `CRS ${applied} as configured; the files state ${stated}`;
  if (stated !== null) return `CRS ${applied} as stated in the files`;
  return `CRS ${applied} ${configured === null ? 'assumed' : 'as configured'}; the files state none`;
}

function releaseText(release: Release, parts: readonly Part[]): string {
  // If files have no date, adapters name the release after the content hash, which is not computed here.
  const name = /^files [0-9a-f]{12}$/.test(release.id) ? 'named by its content hash' : release.id;
  const ids = parts.map((part) => part.id);
  const head = [
    `release ${name}`,
    crsText(release.crs, release.dataset.crs),
    `${parts.length} part${parts.length === 1 ? '' : 's'}: ${some(ids, 12)}`,
  ].join('; ');
  return [head, ...release.notes.slice(0, MAX_NOTES)].join('; ');
}

/** Finds the files of a dataset without hashing them, which would read them whole. */
async function filesOf(paths: readonly string[], base: string, into: ReleaseFile[]): Promise<CheckResult> {
  for (const path of await findFiles(paths, base)) {
    await access(path, constants.R_OK);
    into.push({ path, bytes: (await stampOf(path)).bytes, sha256: '' });
  }
  const bytes = into.reduce((sum, file) => sum + file.bytes, 0);
  const names = some(
    into.map((file) => basename(file.path)),
    3,
  );
  return pass(`${into.length} file${into.length === 1 ? '' : 's'}, ${size(bytes)}: ${names}`);
}

function licenceFinding(id: string, adapter: SourceAdapter, settings: DatasetSettings): CheckResult {
  checkLicence(id, adapter, settings);
  const licence = licenceOf(adapter, settings);
  return pass(settings.accept_licence === licence ? `${licence}, accepted` : `${licence}, open`);
}

async function datasetCheck(
  config: Config,
  id: string,
  settings: DatasetSettings,
  base: string,
): Promise<{ checks: Check[]; bytes: number }> {
  const name = (aspect: string): string => `dataset ${id}: ${aspect}`;
  const files: ReleaseFile[] = [];
  let adapter: SourceAdapter | null = null;
  const checks = [
    await attempt(name('adapter'), () => {
      adapter = adapterNamed(settings.adapter);
      return pass(`${adapter.name}: ${adapter.title}, ${adapter.publisher}`);
    }),
    await attempt(name('files'), async () => filesOf(await pathsOf(config, id, settings), base, files)),
  ];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  // Assigned in a closure that the compiler does not track.
  const knownAdapter = adapter as SourceAdapter | null;
  if (knownAdapter === null) return { checks, bytes };
  checks.push(await attempt(name('licence'), () => licenceFinding(id, knownAdapter, settings)));
  if (checks[1]!.status !== 'pass') return { checks, bytes };
  const { release, crs, options } = settings;
  checks.push(
    await attempt(name('release'), async () => {
      checkSettings(id, settings);
      const dataset = { id, files, release, crs, options };
      const discovery = await checkReadable(knownAdapter, dataset, settings.accept_all_rejected);
      const report = discovery.release.crs.datum_assumed ? warn : pass;
      return report(releaseText(discovery.release, discovery.parts));
    }),
  );
  return { checks, bytes };
}

/**
 * Checks every configured dataset: adapter, files, licence, and the release, CRS and parts in its headers.
 * @returns the checks, and the total size of the files found
 */
export async function datasetChecks(
  config: Config,
  base: string,
): Promise<{ checks: Check[]; bytes: number }> {
  const checks: Check[] = [];
  let bytes = 0;
  for (const [id, settings] of Object.entries(config.datasets)) {
    const result = await datasetCheck(config, id, settings, base);
    checks.push(...result.checks);
    bytes += result.bytes;
  }
  if (checks.length === 0) {
    const text = 'The configuration lists no datasets, so a refresh has nothing to load.';
    checks.push({
      check: 'datasets',
      ...warn(`${text} Pass a configuration with --config; config/ has examples.`),
    });
  }
  for (const note of gnafNotes(config.datasets)) checks.push({ check: 'addresses', ...warn(note) });
  return { checks, bytes };
}
